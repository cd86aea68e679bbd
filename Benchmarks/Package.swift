// swift-tools-version: 6.1

import PackageDescription

// This is a separate package, so that building the library does not build the benchmarks.
let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "OpenCoreData", path: ".."),
    // A peer, that is, another library that does the same work: records in SQLite, without an object graph.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    // Runs each row in its own process and keeps the samples. The tool requires Swift 6.3 here, because its
    // manifest for earlier versions needs an older swift-argument-parser than the library does. Its allocation
    // counters need a preloaded library, so this package leaves them out and counts in `allocations.c`.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    // The benchmark tool finds programs of benchmarks in a folder called Benchmarks.
    .executableTarget(
      name: "Speed",
      dependencies: [
        .product(name: "CoreData", package: "OpenCoreData"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Benchmark", package: "benchmark"),
        "PlainSQLite", "Floor",
      ],
      path: "Speed",
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ],
      // The sort by locale that serves as a floor (see below) uses ICU.
      linkerSettings: [.linkedLibrary("_FoundationICU")]),
    // The floor of a measurement: the same work in C.
    .target(name: "Floor", dependencies: ["PlainSQLite"]),
    // SQLite's C interface.
    .systemLibrary(
      name: "PlainSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
  ],
  swiftLanguageModes: [.v6]
)
