import StoreEngine

extension SQLiteStore: MigratingEngine {
  /// Migrates a store to another model in one transaction, so that the file always has either the old or the new model.
  /// Does nothing if the store is no longer one of the old model.
  ///
  /// - Throws: The reason why the store cannot be migrated, or `CocoaError.userCancelled`. In these cases, the store is
  ///   unchanged.
  static func migrate(
    _ url: URL, _ sources: MigrationSources, configuration: String?, _ options: StoreOptions,
    _ settings: MigrationSettings
  ) throws {
    let url = url.withoutLinks
    let names = try ModelCheck(model: sources.new, configuration: configuration).entityNames()
    var unused = ValueFileNames()
    try translating(url, "migrate") {
      try writing(url, options) { connection in
        try WriteTransaction.run(on: connection, of: url, settings.cancellation) { _ in
          // Another process may have migrated the store in the meantime.
          guard try isOf(sources.old, connection, url) else { return }
          let old = try InPlaceMigration.schema(of: sources.old, on: connection, url)
          let foreignCode = try connection.foreignCode(besides: old)
          unused = try connection.boundingForeignCode(foreignCode, timeout: options.timeout) {
            let hasFiles = try !ExternalFiles(store: url).names().isEmpty
            let before = hasFiles ? try ExternalFiles.named(on: connection) : ValueFileNames()
            let migration = try InPlaceMigration(
              sources, from: old, foreignCode, keeping: names, on: connection, url, settings)
            try migration.run()
            guard hasFiles else { return ValueFileNames() }
            // A column that is removed later may contain names of files that requests can no longer reach. The files
            // are removed now, because the names are lost when a row is deleted.
            let remains = try MigrationRemains(connection: connection).columns(
              besides: migration.plan)
            return before.subtracting(
              try ExternalFiles.named(on: connection) { remains[$0]?.contains($1) == true })
          }
        }
      }
    }
    ExternalUse.of(url).discard(unused.sorted)
  }

  func removeRemains() throws -> Bool {
    try write("migrate", code: NSPersistentStoreOpenError) { transaction in
      let connection = transaction.connection
      let present = try ExternalFiles(store: url).names()
      let before = present.isEmpty ? ValueFileNames() : try ExternalFiles.named(on: connection)
      let foreignCode = try connection.foreignCode(besides: schema)
      let timeout = pool.options.timeout
      let hasMore = try connection.boundingForeignCode(foreignCode, timeout: timeout) {
        try MigrationRemains(connection: connection).removeOne(but: StoreSchemaPlan(schema))
      }
      if !present.isEmpty {
        let gone = before.subtracting(try ExternalFiles.named(on: connection))
        let unused = present.filter(gone.contains)
        // A rollback would restore the columns that refer to these files.
        transaction.afterCommit { [externalUse] in externalUse?.discard(unused) }
      }
      return hasMore
    }
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

  /// Opens an existing store for writing while `body` runs.
  private static func writing(
    _ url: URL, _ options: StoreOptions, _ body: (SQLiteConnection) throws -> Void
  ) throws {
    if let name = StoreLocation(url).memoryName, let database = NamedDatabase.existing(name) {
      return try database.use { connection in
        try requirePlainTables(connection, url)
        try body(connection)
      }
    }
    let file = try StoreFile(url)
    guard file.exists else { throw StoreErrors.noSuchFile(url) }
    try withConnection(file, options) { connection, sideFiles in
      try requireStore(connection, file)
      guard connection.mode == .readWrite else {
        throw CoreDataError.make(
          NSMigrationError, "the store \(url.path) cannot be migrated, because it is not writable",
          at: url.path)
      }
      connection.setCheckpointsOnClose(true)
      sideFiles?.keep()
      try StorePragmas(options: options).applyToWriter(connection)
      try body(connection)
      connection.close()
    }
  }
}
