// swift-tools-version: 6.1

import PackageDescription

// A program as it is written for iOS, except for its screen. Its package only has to list the library and the plugin.
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
