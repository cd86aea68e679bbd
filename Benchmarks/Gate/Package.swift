// swift-tools-version: 6.1

import PackageDescription

// A separate package, so that continuous integration does not resolve or build the other benchmarks' dependencies.
// Links to the other package share the files that both need.
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
    // The functions at which counting starts and ends, and a digest in C.
    .target(name: "Counting"),
    .target(name: "Floor", dependencies: ["PlainSQLite"]),
    .systemLibrary(
      name: "PlainSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
  ],
  swiftLanguageModes: [.v6]
)
