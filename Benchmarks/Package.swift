// swift-tools-version: 6.1

import PackageDescription

// A package of its own, so that building the library builds none of this.
//
// A plain program rather than a benchmark framework: the rows of the table are ratios of two things
// measured in turns in one run, which is what stays comparable from one machine to another.
let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "OpenCoreData", path: "..")],
  targets: [
    .executableTarget(
      name: "Benchmarks",
      dependencies: [.product(name: "CoreData", package: "OpenCoreData"), "PlainSQLite"],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
    // SQLite without the library between.
    .systemLibrary(
      name: "PlainSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
  ],
  swiftLanguageModes: [.v6]
)
