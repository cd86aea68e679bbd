import CSQLite
import StoreEngine

extension SQLiteStore {
  /// Creates the tables of a new store.
  ///
  /// - Parameter connect: Returns an empty database, and the pool of the store's connections to it.
  static func create(
    _ url: URL, model: ModelLayout, configuration: String?, isFile: Bool,
    _ options: StoreOptions, _ origin: StoreOrigin?,
    _ connect: () throws -> (SQLiteConnection, ConnectionPool)
  ) throws -> SQLiteStore {
    // What can fail without a file is computed first, so that an error leaves no file.
    let names = try ModelCheck(model: model, configuration: configuration).entityNames()
    let plan = StoreSchemaPlan(
      model: model, numbers: StoreSchemaPlan.numbers(of: model, entities: Set(names)))
    let metadata = StoreMetadata.new(for: model.model, entities: names)
    let statements = try SchemaBuilder(plan: plan).statements()
    let cache = try model.model.storeModelCache()
    let hasRTrees = statements.contains { $0.hasPrefix("CREATE VIRTUAL TABLE") }
    let pragmas = StorePragmas(options: options)
    let (pool, dialect, history, schema) = try translating(url, "create") {
      // Most pragmas are executed after the tables are committed, and an error in one of them would leave a store
      // behind.
      try pragmas.rehearse()
      let (connection, pool) = try connect()
      try pragmas.prepareNewDatabase(connection)
      // `auto_vacuum` has no effect after the first page is created, and BEGIN IMMEDIATE would create that page.
      let isNew = try connection.integer("PRAGMA page_count") == 0
      try connection.transaction(isNew ? "BEGIN" : "BEGIN IMMEDIATE") {
        try pragmas.beginNewDatabase(connection)
        if isFile {
          // Check this inside the transaction, because another process may have created the store
          // since the file was checked.
          if try hasTables(connection) { throw MadeElsewhere() }
          // Replaces the mark of a file that was emptied.
          let mark = pragmas.wantsWAL ? unfinishedMark : 0
          try connection.execute("PRAGMA application_id = \(mark)")
        }
        for statement in statements { try connection.execute(statement) }
        try insertEntities(plan, on: connection)
        try StoreMetadata.write(metadata, on: connection)
        try connection.run("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", [.data(cache)])
        // Another process may have removed the file in the meantime, when it was still empty.
        if isFile, connection.fileHasMoved { throw StoreErrors.noSuchFile(url) }
      }
      if isFile, pragmas.wantsWAL { try finishNewFile(connection, options) }
      try pragmas.finishNewDatabase(connection)
      try connection.allowIndexTriggers(of: model)
      let schema = plan.schema(
        rTrees: hasRTrees
          ? SchemaReader.rTrees(try SchemaReader(connection: connection, url: url).tables()) : [:])
      schema.keepsExactDecimals = options.keepsExactDecimals
      let history = try StoreHistory.find(on: connection, schema, isRecorded: options.tracksHistory)
      return (pool, connection.dialect, history, schema)
    }
    return SQLiteStore(
      url: url, origin: adoptedOrigin(origin, metadata: metadata), isReadOnly: false,
      schema: schema, pool: pool, dialect: dialect, metadata: metadata, history: history)
  }

  /// Thrown if another process or coordinator has created the store since the file was checked.
  struct MadeElsewhere: Error {}

  /// A mark in the header of a new file that is not in WAL mode yet. Spells "OCDn".
  static let unfinishedMark: Int64 = 0x4f43_446e

  /// Puts a new file into WAL mode, after its tables were committed: a file in that mode without tables would look
  /// like one whose log was lost.
  ///
  /// The file has a mark until this is done. If this process ends before that, the next process that opens the file
  /// completes this.
  static func finishNewFile(_ connection: SQLiteConnection, _ options: StoreOptions) throws {
    let deadline = Date(timeIntervalSinceNow: min(options.timeout, 5))
    while true {
      do {
        guard try connection.integer("PRAGMA application_id") == unfinishedMark else { return }
        _ = try connection.text("PRAGMA journal_mode = WAL")
        // Remove the mark last, so that a process that ends before this leaves it in the file.
        return try connection.execute("PRAGMA application_id = 0")
      } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
        // Other connections have already opened the file. A later process that opens it alone completes
        // this.
        if Date() > deadline { return }
        usleep(2000)
      }
    }
  }

  /// Writes the entities to `Z_PRIMARYKEY`.
  ///
  /// - Parameter lastKey: Returns the last used key of an entity without a parent.
  static func insertEntities(
    _ plan: StoreSchemaPlan, on connection: SQLiteConnection,
    lastKey: (EntityLayout) -> Int64 = { _ in 0 }
  ) throws {
    for layout in plan.model.entities {
      guard let number = plan.numbers[layout.index] else { continue }
      let parent = layout.superlayout.flatMap { plan.numbers[$0.index] } ?? 0
      try connection.run(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, ?3, ?4)",
        [
          .integer(Int64(number)), .text(layout.name), .integer(Int64(parent)),
          // Subentities use the counter of their root, and have 0 in Apple's stores.
          .integer(layout.superlayout == nil ? lastKey(layout) : 0),
        ])
    }
  }

  static func requireCreatable(_ file: StoreFile, _ options: StoreOptions) throws {
    if options.isReadOnly {
      throw file.exists
        ? StoreErrors.notAStore(file.url, "the file is empty") : StoreErrors.noSuchFile(file.url)
    }
    let folder = file.url.deletingLastPathComponent()
    if !FileManager.default.fileExists(atPath: folder.path) {
      throw CoreDataError.make(
        NSPersistentStoreOpenError, "cannot create \(file.url.path): its folder does not exist",
        at: file.url.path)
    }
  }

  /// Removes the empty file of a store that could not be created.
  static func removeEmptyFile(_ file: StoreFile) {
    // An empty file that this call did not create is not removed.
    if file.exists { return }
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.url.path)
    // The tables are created in one transaction, so a file with content is a complete store, which another process may
    // use.
    if let size = attributes?[.size] as? NSNumber, size.intValue == 0 {
      removeFiles(of: file.url)
    }
  }
}
