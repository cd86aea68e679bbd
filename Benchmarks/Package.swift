// swift-tools-version: 6.1

import PackageDescription

// A package of its own, so that building the library builds none of this.
let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "OpenCoreData", path: ".."),
    // The peer: records over SQLite, without an object graph.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    // Runs the rows, each in a process of its own, and keeps the samples. It takes Swift 6.3 here: its
    // manifest for earlier ones wants an older swift-argument-parser than the library. Without its
    // counters of allocations, which need a library loaded before all others: `allocations.c` counts.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    // The tool knows a program of benchmarks by the folder above it, which is called Benchmarks.
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
      // The floor of sorting by the locale is ICU's.
      linkerSettings: [.linkedLibrary("_FoundationICU")]),
    // The floor: the same work in C.
    .target(name: "Floor", dependencies: ["PlainSQLite"]),
    // SQLite without the library between.
    .systemLibrary(
      name: "PlainSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
  ],
  swiftLanguageModes: [.v6]
)
