// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Contacts",
  dependencies: [
    .package(path: "../OpenCoreData")
  ],
  targets: [
    .executableTarget(
      name: "Contacts",
      dependencies: [.product(name: "CoreData", package: "OpenCoreData")])
  ],
  swiftLanguageModes: [.v6]
)
