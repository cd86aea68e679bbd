// swift-tools-version: 6.1

import PackageDescription

// A package of its own, so that continuous integration resolves and builds none of the other benchmarks' packages. What
// both need is linked from there.
let package = Package(
  name: "Gate",
  dependencies: [.package(name: "OpenCoreData", path: "../..")],
  targets: [
    .executableTarget(
      name: "SpeedGate",
      dependencies: [
        .product(name: "CoreData", package: "OpenCoreData"), "Counting", "Floor",
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
    // Where counting starts and ends, and a digest in C.
    .target(name: "Counting"),
    .target(name: "Floor", dependencies: ["PlainSQLite"]),
    .systemLibrary(
      name: "PlainSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
  ],
  swiftLanguageModes: [.v6]
)
