import Foundation
import ObjectModel
import StoreEngine

extension SQLiteStore: MigratingEngine {
  /// Makes a store of one model a store of another, in one transaction of the file: it is the one or the
  /// other at any time, whatever happens meanwhile.
  ///
  /// - Throws: what keeps the rows from becoming rows of the new model, or `CocoaError.userCancelled`; the store
  ///   is as it was then.
  static func migrate(
    _ url: URL, _ sources: MigrationSources, configuration: String?, _ options: StoreOptions,
    _ settings: MigrationSettings
  ) throws {
    let names = try ModelCheck(model: sources.new, configuration: configuration).entityNames()
    let files = ExternalFiles(store: url)
    let hasFiles = try !files.names().isEmpty
    var unused = ValueFileNames()
    try translating(url, "migrate") {
      try writing(url, options) { connection in
        let before = hasFiles ? try ExternalFiles.named(on: connection) : ValueFileNames()
        var plan: StoreSchemaPlan?
        try connection.interruptible(by: settings.cancellation) {
          try connection.transaction {
            // Another process may have done it in the meantime.
            guard try isOf(sources.old, connection, url) else { return }
            let migration = try InPlaceMigration(
              sources, keeping: names, on: connection, url, settings)
            try migration.run()
            plan = migration.plan
          }
        }
        guard hasFiles, let plan else { return }
        // A column that stays for a while has names of files that nobody can ask for any more. They go now: of rows that
        // are deleted meanwhile nobody would know which they had.
        let remains = try MigrationRemains(connection: connection).columns(besides: plan)
        unused = before.subtracting(
          try ExternalFiles.named(on: connection) { remains[$0]?.contains($1) == true })
      }
    }
    ExternalUse.of(url).discard(unused.sorted)
  }

  func removeRemains() throws -> Bool {
    var unused: [String] = []
    let hasMore = try Self.translating(url, "migrate") {
      try pool.write { connection in
        let remains = MigrationRemains(connection: connection)
        let present = try ExternalFiles(store: url).names()
        return try connection.transaction {
          let before =
            present.isEmpty ? ValueFileNames() : try ExternalFiles.named(on: connection)
          let hasMore = try remains.removeOne(but: StoreSchemaPlan(schema))
          if !present.isEmpty {
            let gone = before.subtracting(try ExternalFiles.named(on: connection))
            unused = present.filter(gone.contains)
          }
          return hasMore
        }
      }
    }
    ExternalUse.of(url).discard(unused)
    return hasMore
  }

  private static func isOf(
    _ model: ModelLayout, _ connection: SQLiteConnection, _ url: URL
  ) throws -> Bool {
    let noted =
      try StoreMetadata.read(on: connection, url: url)[NSStoreModelVersionHashesKey]
      as? [String: Data] ?? [:]
    let hashes = model.model.entityVersionHashesByName
    return noted.allSatisfy { hashes[$0.key] == $0.value }
  }

  /// Opens an existing store for writing, for as long as `body` runs.
  private static func writing(
    _ url: URL, _ options: StoreOptions, _ body: (SQLiteConnection) throws -> Void
  ) throws {
    if let name = StoreLocation(url).memoryName, let database = NamedDatabase.existing(name) {
      return try database.use(body)
    }
    let file = try StoreFile(url)
    guard file.exists else { throw StoreErrors.noSuchFile(url) }
    try withConnection(file, options) { connection, sideFiles in
      try requireStore(connection, file)
      guard connection.mode == .readWrite else {
        throw CoreDataError.make(
          NSMigrationError, "the store \(url.path) cannot be written, and so not be migrated",
          [NSFilePathErrorKey: url.path])
      }
      connection.setCheckpointsOnClose(true)
      sideFiles?.keep()
      try StorePragmas(options: options).applyToWriter(connection)
      try body(connection)
      connection.close()
    }
  }
}
