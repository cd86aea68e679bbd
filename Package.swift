// swift-tools-version: 6.1

import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

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
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    // The predicate format language, expressions, sort descriptors, evaluation in memory.
    // Regular expressions come from the ICU that Foundation is built on.
    .target(
      name: "Predicates", swiftSettings: strict,
      linkerSettings: [.linkedLibrary("_FoundationICU")]),

    // What version hashes of models, and names of private symbols, are made of.
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

    // What stores keep and are asked for, and the text of SQL statements: what every engine of a store builds on.
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

    // Live results for declarative code, under the names that SwiftUI has for them: a module of its own, for
    // programs have types of these names too.
    .target(
      name: "DeclarativeCoreData", dependencies: ["CoreData", "ObjectModel", "Predicates"],
      swiftSettings: strict),

    // What a program's tests of its live results need; no test framework.
    .target(
      name: "CoreDataTestSupport", dependencies: ["CoreData", "Predicates"],
      swiftSettings: strict),

    // What sources with a model layer often import of Apple's `os` and `OSLog`: a log and a lock; no part
    // of the library. Under a name of its own, for others ask `canImport(os)` to know where they are.
    .target(
      name: "OSNames", dependencies: [.product(name: "Logging", package: "swift-log")],
      swiftSettings: strict),

    // The sample's model and the generator of its data, for the command line and for tests.
    .target(
      name: "ContactsSample",
      dependencies: ["CoreData"],
      path: "Examples/Contacts",
      exclude: ["README.md", "Contacts.svg", "Contacts.xcdatamodeld", "App", "Package.swift"],
      sources: ["Sample"],
      resources: [.embedInCode("Contacts.xcdatamodeld/Contacts.xcdatamodel/contents")],
      swiftSettings: strict
    ),

    // What can be told of Swift sources without the compiler.
    .target(
      name: "SourceReading",
      dependencies: [.product(name: "SwiftSyntax", package: "swift-syntax")],
      swiftSettings: strict),

    // Sources for Apple's platforms, rewritten to build beyond them too.
    .target(
      name: "SourcePorting",
      dependencies: [
        "SourceReading",
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
      ],
      swiftSettings: strict),

    // A store opened with its model, rows as values and texts, texts as values, mistakes in words: what
    // those share who show stores.
    .target(
      name: "StoreInspection", dependencies: ["CoreData", "ObjectModel", "Predicates"],
      swiftSettings: strict),

    // The pages of the explorer: requests and answers as values, whichever server carries them.
    .target(
      name: "CoreDataExplorer",
      dependencies: ["CoreData", "ModelDiagram", "ObjectModel", "Predicates", "StoreInspection"],
      exclude: ["PROTOCOL.md"], resources: [.copy("Client")], swiftSettings: strict),

    // The explorer over HTTP; nothing without the trait.
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

    // Models and sources to classes and accessors, while a program is built.
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

    // A program that saves, is killed, has failing disks and damaged files: what the tests of safety
    // run in processes of their own.
    .target(name: "FaultVFS", dependencies: ["CSQLite"], path: "Tests/FaultVFS"),
    .executableTarget(
      name: "StoreWorkload",
      dependencies: ["CoreData", "CSQLite", "CZlib", "FaultVFS", "FixtureSupport"],
      path: "Tests/StoreWorkload", swiftSettings: strict),
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
