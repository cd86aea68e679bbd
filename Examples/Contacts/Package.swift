// swift-tools-version: 6.1

import PackageDescription

// A program as it is written for iOS, but for its screen: two lines of a package are what it takes here.
let package = Package(
  name: "Contacts",
  products: [.executable(name: "contacts", targets: ["Contacts"])],
  // Outside this repository: .package(url: "https://github.com/…/OpenCoreData", …)
  dependencies: [.package(name: "OpenCoreData", path: "../..")],
  targets: [
    .executableTarget(
      name: "Contacts",
      dependencies: [.product(name: "CoreData", package: "OpenCoreData")],
      path: ".",
      exclude: ["README.md", "Contacts.svg", "Sample"],
      sources: ["App"],
      plugins: [.plugin(name: "ManagedObjectClasses", package: "OpenCoreData")])
  ],
  swiftLanguageModes: [.v6]
)
