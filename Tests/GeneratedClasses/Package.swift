// swift-tools-version: 6.1

import PackageDescription

// A package as programs have them: models and classes as they are written for Apple's platforms. It is
// built and tested by scripts/test-generated.
let plugin = Target.PluginUsage.plugin(name: "ManagedObjectClasses", package: "OpenCoreData")
let coreData = Target.Dependency.product(name: "CoreData", package: "OpenCoreData")

let package = Package(
  name: "GeneratedClasses",
  dependencies: [
    .package(name: "OpenCoreData", path: "../.."),
    .package(name: "Contacts", path: "../../Examples/Contacts"),
  ],
  targets: [
    // Types that properties of other modules have.
    .target(name: "Values"),
    // A model with versions, whose classes are generated, extended and written by hand.
    .target(name: "Shop", dependencies: [coreData, "Values"], plugins: [plugin]),
    // A model without versions that is declared as a resource, with every form of declaration.
    .target(
      name: "Library", dependencies: [coreData, "Shop"],
      resources: [.process("Library.xcdatamodel")], plugins: [plugin]),
    .testTarget(name: "ShopTests", dependencies: ["Shop", "Library", "Values", coreData]),
    // The example, as its user runs it.
    .testTarget(
      name: "ContactsTests", dependencies: [.product(name: "contacts", package: "Contacts")]),
  ],
  swiftLanguageModes: [.v6]
)

// A program that is the main actor's unless it says otherwise: later compilers have that.
#if compiler(>=6.2)
  package.targets += [
    .target(
      name: "Screens", dependencies: [coreData],
      swiftSettings: [
        .unsafeFlags(["-default-isolation", "MainActor"]),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ], plugins: [plugin]),
    .testTarget(name: "ScreensTests", dependencies: ["Screens", coreData]),
  ]
#endif
