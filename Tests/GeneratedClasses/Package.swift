// swift-tools-version: 6.1

import PackageDescription

// A package like those of applications, with models and classes as they are written for Apple's
// platforms. scripts/test-generated builds and tests it.
let plugin = Target.PluginUsage.plugin(name: "ManagedObjectClasses", package: "OpenCoreData")
let coreData = Target.Dependency.product(name: "CoreData", package: "OpenCoreData")

let package = Package(
  name: "GeneratedClasses",
  dependencies: [
    .package(name: "OpenCoreData", path: "../.."),
    .package(name: "Contacts", path: "../../Examples/Contacts"),
  ],
  targets: [
    // Types that properties in the other modules have.
    .target(name: "Values"),
    // A model with versions, whose classes are generated, extended or written by hand.
    .target(name: "Shop", dependencies: [coreData, "Values"], plugins: [plugin]),
    // A model without versions, declared as a resource. Its classes have every form in which properties are declared.
    .target(
      name: "Library", dependencies: [coreData, "Shop"],
      resources: [.process("Library.xcdatamodel")], plugins: [plugin]),
    .testTarget(name: "ShopTests", dependencies: ["Shop", "Library", "Values", coreData]),
    // The example, run the way a user runs it.
    .testTarget(
      name: "ContactsTests", dependencies: [.product(name: "contacts", package: "Contacts")]),
  ],
  swiftLanguageModes: [.v6]
)

// A target with default isolation to the main actor, which later compilers support.
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
