// swift-tools-version: 6.1

import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// OPENCOREDATA_DOCS=1 adds DocC's plugin, which previews the articles of one module while they are written:
// `swift package --disable-sandbox preview-documentation --target CoreData`. scripts/docs builds the whole site.
let previews: [Package.Dependency] =
  Context.environment["OPENCOREDATA_DOCS"] == nil
  ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")]

let package = Package(
  name: "OpenCoreData",
  products: [
    .library(name: "CoreData", targets: ["CoreData"]),
    .library(name: "DeclarativeCoreData", targets: ["DeclarativeCoreData"]),
    .library(name: "CoreDataTestSupport", targets: ["CoreDataTestSupport"]),
    .executable(name: "coredata", targets: ["CoreDataTool"]),
    .plugin(name: "ManagedObjectClasses", targets: ["ManagedObjectClasses"]),
    .library(name: "OSNames", targets: ["OSNames"]),
  ],
  traits: [
    .trait(
      name: "Explorer",
      description: "`coredata explore`, a browser for stores; brings the server Hummingbird.")
  ],
  dependencies: previews + [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    // The predicate language, expressions, sort descriptors, evaluation in memory.
    // Regular expressions use the ICU that Foundation contains.
    .target(
      name: "Predicates", swiftSettings: strict,
      linkerSettings: [.linkedLibrary("_FoundationICU")]),

    // SHA-2 for the version hashes of models, MD5 for the mangled names of private symbols.
    .target(name: "Digests", swiftSettings: strict),

    // Entities, attributes, relationships; the files that describe them.
    .target(
      name: "ObjectModel",
      dependencies: [
        "Digests",
        "Predicates",
        "CSwiftRuntime",
        "CZlib",
      ],
      swiftSettings: strict
    ),

    // Pictures of a model: entity-relationship diagrams as SVG, Mermaid and DOT.
    .target(name: "ModelDiagram", dependencies: ["ObjectModel"], swiftSettings: strict),

    // The base of every store engine: rows, query plans, and the text of SQL statements.
    .target(
      name: "StoreEngine",
      dependencies: [
        "ObjectModel",
        "Predicates",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict
    ),

    // Stores in SQLite files.
    .target(
      name: "SQLiteEngine",
      dependencies: [
        "ObjectModel",
        "Predicates",
        "StoreEngine",
        "CSQLite",
      ],
      swiftSettings: strict
    ),

    // The object graph, fetching, live results, the stores.
    .target(
      name: "CoreData",
      dependencies: [
        "ObjectModel",
        "Predicates",
        "SQLiteEngine",
        "StoreEngine",
        "CSwiftRuntime",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: strict
    ),

    // Live results for declarative code, under SwiftUI's names. A separate module, because programs may have
    // types of the same names.
    .target(
      name: "DeclarativeCoreData", dependencies: ["CoreData", "ObjectModel", "Predicates"],
      swiftSettings: strict),

    // Support for programs that test their live results; depends on no test framework.
    .target(
      name: "CoreDataTestSupport", dependencies: ["CoreData", "Predicates"],
      swiftSettings: strict),

    // The types of Apple's `os` and `OSLog` that model layers often use: a logger and a lock. The library does not use
    // it. The module is not named `os`, because packages check `canImport(os)` to detect Apple's platforms.
    .target(
      name: "OSNames", dependencies: [.product(name: "Logging", package: "swift-log")],
      swiftSettings: strict),

    // The sample model and a generator of data for it, for the command line and for tests.
    .target(
      name: "ContactsSample",
      dependencies: ["CoreData"],
      path: "Examples/Contacts",
      exclude: ["README.md", "Contacts.svg", "Contacts.xcdatamodeld", "App", "Package.swift"],
      sources: ["Sample"],
      resources: [.embedInCode("Contacts.xcdatamodeld/Contacts.xcdatamodel/contents")],
      swiftSettings: strict
    ),

    // Reads declarations in Swift sources without the compiler.
    .target(
      name: "SourceReading",
      dependencies: [.product(name: "SwiftSyntax", package: "swift-syntax")],
      swiftSettings: strict),

    // Rewrites sources for Apple's platforms so that they also build on other platforms.
    .target(
      name: "SourcePorting",
      dependencies: [
        "SourceReading",
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
      ],
      swiftSettings: strict),

    // Shared by the tools that show stores: opens a store with its model, converts between values and texts,
    // and explains errors.
    .target(
      name: "StoreInspection", dependencies: ["CoreData", "ObjectModel", "Predicates"],
      swiftSettings: strict),

    // The pages of the explorer, as functions from requests to responses, independent of the server.
    .target(
      name: "CoreDataExplorer",
      dependencies: ["CoreData", "ModelDiagram", "ObjectModel", "Predicates", "StoreInspection"],
      exclude: ["PROTOCOL.md"], resources: [.copy("Client")], swiftSettings: strict),

    // The explorer over HTTP; empty without the trait.
    .target(
      name: "ExplorerServer",
      dependencies: [
        "CoreDataExplorer",
        .product(
          name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Explorer"])),
      ],
      swiftSettings: strict),

    // The command line.
    .executableTarget(
      name: "CoreDataTool",
      dependencies: [
        "CoreData",
        "ContactsSample",
        "CoreDataExplorer",
        "ExplorerServer",
        "ModelDiagram",
        "SourcePorting",
        "StoreInspection",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict
    ),

    // Generates classes and accessors from models and sources while a program is built.
    .executableTarget(
      name: "ManagedObjectGenerator",
      dependencies: [
        "Digests",
        "ObjectModel",
        "SourceReading",
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
      ],
      swiftSettings: strict
    ),
    .plugin(
      name: "ManagedObjectClasses", capability: .buildTool(),
      dependencies: ["ManagedObjectGenerator"]),

    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CSwiftRuntime"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // Finds the stores and models that Apple's tools wrote; not part of any product.
    .target(name: "FixtureSupport", path: "Tests/FixtureSupport", swiftSettings: strict),

    // A program that the safety tests run in separate processes: it saves while it is killed, while file
    // operations fail, and on damaged files.
    .target(name: "FaultVFS", dependencies: ["CSQLite"], path: "Tests/FaultVFS"),
    .executableTarget(
      name: "StoreWorkload",
      dependencies: ["CoreData", "CSQLite", "CZlib", "FaultVFS", "FixtureSupport"],
      path: "Tests/StoreWorkload", swiftSettings: strict),
    .testTarget(name: "ScriptTests", swiftSettings: strict),
    .testTarget(name: "DigestsTests", dependencies: ["Digests"], swiftSettings: strict),
    .testTarget(
      name: "PredicatesTests", dependencies: ["Predicates", "FixtureSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ObjectModelTests", dependencies: ["ObjectModel", "CSQLite", "FixtureSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ModelDiagramTests", dependencies: ["ModelDiagram", "ObjectModel", "FixtureSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SourcePortingTests", dependencies: ["SourcePorting"], swiftSettings: strict),
    .testTarget(
      name: "ManagedObjectGeneratorTests",
      dependencies: [
        "ManagedObjectGenerator",
        "FixtureSupport",
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CoreDataTests",
      dependencies: [
        "CoreData", "CoreDataTestSupport", "CSQLite", "DeclarativeCoreData", "FixtureSupport",
        "OSNames", "SQLiteEngine", "StoreEngine",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CoreDataExplorerTests",
      dependencies: ["CoreDataExplorer", "ContactsSample", "FixtureSupport", "StoreInspection"],
      swiftSettings: strict),
    .testTarget(
      name: "CoreDataToolTests",
      dependencies: [
        "CoreDataTool", "ContactsSample", "ModelDiagram", "CSQLite", "FixtureSupport",
        "SQLiteEngine",
        "StoreInspection",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

// OPENCOREDATA_WALKS=1 leaves only the random tests that scripts/soak repeats, because the module of all tests takes an
// hour to build in release.
if Context.environment["OPENCOREDATA_WALKS"] != nil {
  package.targets.removeAll { $0.type == .test && $0.name != "CoreDataTests" }
  package.targets.first { $0.type == .test }?.sources = [
    "FetchedResults/Walk", "Fetching/Agreement", "Graph/Walk", "Migration/Support",
    "Migration/Walk", "Stores/Support", "Support",
  ]
}
