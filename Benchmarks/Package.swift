// swift-tools-version: 6.1

import PackageDescription

// A package of its own, so that building the library builds none of this.
//
// A plain program rather than a benchmark framework: the rows of the table are ratios of two things
// measured in turns in one run, which is what stays comparable from one machine to another.
let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "OpenCoreData", path: ".."),
    // The peer: records over SQLite, without an object graph.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        .product(name: "CoreData", package: "OpenCoreData"),
        .product(name: "GRDB", package: "GRDB.swift"),
        "PlainSQLite", "Floor",
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
    // The floor: the same work in C.
    .target(name: "Floor", dependencies: ["PlainSQLite"]),
    // SQLite without the library between.
    .systemLibrary(
      name: "PlainSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
  ],
  swiftLanguageModes: [.v6]
)
