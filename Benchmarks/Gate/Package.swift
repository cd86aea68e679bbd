// swift-tools-version: 6.1

import PackageDescription

// This package is separate from the other benchmarks, so that continuous integration does not resolve or build their
// dependencies. Symbolic links to Benchmarks/Sources share the files that both packages need.
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
    // The functions at which Callgrind starts and ends counting, and SHA-256 in C.
    .target(name: "Counting"),
    .target(name: "Floor", dependencies: ["PlainSQLite"]),
    .systemLibrary(
      name: "PlainSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
  ],
  swiftLanguageModes: [.v6]
)
