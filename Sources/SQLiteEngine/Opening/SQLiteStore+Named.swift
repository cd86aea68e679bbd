import StoreEngine

/// File operations for named stores in memory: `/dev/null/NAME`.
extension SQLiteStore {
  /// Opens the store with a name, creating it if the database with this name does not exist or is empty.
  static func openNamed(
    _ name: String, _ url: URL, model: ModelLayout, configuration: String?, options: StoreOptions,
    origin: StoreOrigin?
  ) throws -> SQLiteStore {
    if options.isReadOnly, NamedDatabase.existing(name) == nil { throw StoreErrors.noSuchFile(url) }
    let database = try NamedDatabase.named(name)
    // Another coordinator must not create the tables between this check and the creation.
    return try database.lock.withLock {
      let connection = database.connection
      guard try hasTables(connection) else {
        if options.isReadOnly { throw StoreErrors.notAStore(url, "it was destroyed") }
        let store = try create(
          url, model: model, configuration: configuration, isFile: false, options, origin
        ) { (connection, ConnectionPool(database, options)) }
        database.stopKeeping()
        return store
      }
      return try translating(url, "open") {
        try requirePlainTables(connection, url)
        let (schema, metadata) = try check(
          connection, url, model: model, configuration: configuration, options)
        let options = try withHistoryRespected(options, on: connection, url)
        try StorePragmas(options: options).applyToWriter(connection)
        let history = try StoreHistory.find(
          on: connection, schema, isRecorded: options.tracksHistory && !options.isReadOnly)
        if !options.isReadOnly {
          try connection.boundForeignCode(besides: schema, timeout: options.timeout)
          try tidy(connection, schema, options)
        }
        database.stopKeeping()
        return SQLiteStore(
          url: url, origin: adoptedOrigin(origin, metadata: metadata),
          isReadOnly: options.isReadOnly,
          schema: schema, pool: ConnectionPool(database, options), dialect: connection.dialect,
          metadata: metadata, history: history)
      }
    }
  }

  /// Runs `body` with the database of an existing named store.
  static func withNamedDatabase<Result>(
    _ url: URL, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    guard let database = StoreLocation(url).memoryName.flatMap(NamedDatabase.existing) else {
      throw StoreErrors.noSuchFile(url)
    }
    return try database.use { connection in
      guard try hasTables(connection) else {
        throw StoreErrors.notAStore(url, "it was destroyed")
      }
      return try translating(url, "use") { try body(connection) }
    }
  }

  /// Empties the store with a name, including for coordinators that have it open.
  static func destroyNamed(_ name: String) throws {
    guard let database = NamedDatabase.existing(name) else { return }
    try database.replace { _ in }
    database.stopKeeping()
  }

  /// Copies a database to the store with a name.
  ///
  /// The copy is kept in memory without a coordinator until a store with the name is opened. Values that the source
  /// stores in separate files are copied into the rows.
  static func copy(
    _ source: SQLiteConnection, from url: URL, toNamed name: String, _ options: StoreOptions,
    _ cancellation: Cancellation?
  ) throws {
    let database = try NamedDatabase.named(name)
    try database.replace { target in
      // SQLite cannot copy pages to a database in memory with another page size
      // (sqlite.org/c3ref/backup_finish.html).
      let size = try source.integer("PRAGMA page_size") ?? 4096
      try target.execute("PRAGMA page_size = \(size)")
      try copyPages(of: source, to: target, timeout: 0, cancellation)
      // Moving the bytes changes no value, so no trigger is needed.
      try target.withoutTriggers {
        try ExternalFiles(store: url).moveIntoRows(of: target, timeout: options.timeout)
      }
      // Stores that have the database open do not check the new schema again.
      try target.boundForeignCode(besides: nil, timeout: options.timeout)
    }
    database.keepOpen()
  }
}

extension ExternalFiles {
  /// Copies the bytes of the files into the rows that refer to them, while triggers are disabled.
  ///
  /// - Parameter timeout: The timeout for locks in seconds.
  func moveIntoRows(of connection: SQLiteConnection, timeout: Double) throws {
    let names = Set(try names())
    if names.isEmpty { return }
    try connection.transaction {
      let code = try connection.foreignCode(besides: nil).filter { $0.kind != .trigger }
      try connection.boundingForeignCode(code, timeout: timeout) {
        try moveIntoRows(names, of: connection)
      }
    }
  }

  private func moveIntoRows(_ names: Set<String>, of connection: SQLiteConnection) throws {
    let columns = try connection.rows(
      "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
        + " WHERE m.type = 'table' AND \(TableCondition.isPlain) AND c.type = 'BLOB'"
        + " ORDER BY m.name, c.cid"
    ) { (table: $0.text(0), column: $0.text(1)) }
    for (table, column) in columns {
      let (table, column) = (SQLText.name(table), SQLText.name(column))
      let found = try connection.rows(
        // The name of a file: 0x02, the 36 characters of a UUID, and usually a zero.
        "SELECT rowid, \(column) FROM \(table) WHERE typeof(\(column)) = 'blob'"
          + " AND length(\(column)) BETWEEN 37 AND 38 AND substr(\(column), 1, 1) = x'02'"
      ) { row in
        let name = String(decoding: row.data(1).dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        return (row: row.integer(0), name: name)
      }
      for (row, name) in found where Self.isPresent(name, among: names) {
        try connection.run(
          "UPDATE \(table) SET \(column) = ?1 WHERE rowid = ?2",
          [.data(ExternalStorage.marked(try bytes(name))), .integer(row)])
      }
    }
  }
}
