import StoreEngine

extension SQLiteStore {
  /// Returns whether a file or a named database exists at a URL. Its content is not checked.
  static func exists(_ url: URL) -> Bool {
    let url = url.withoutLinks
    if let name = StoreLocation(url).memoryName { return NamedDatabase.existing(name) != nil }
    return !StoreLocation(url).isInMemory && FileManager.default.fileExists(atPath: url.path)
  }

  /// Opens a store. Creates it if the file does not exist, is empty or contains a destroyed store, and always for a URL
  /// in memory without a name.
  ///
  /// - Parameter origin: If this store replaces another store, the origin of the IDs of that store's objects; otherwise
  ///   nil.
  /// - Throws: An error that describes what is wrong with the file, the model or the options. A file that is not a
  ///   store, or whose store does not match the model, stays unchanged.
  static func open(
    _ url: URL, model: ModelLayout, configuration: String?, options: StoreOptions,
    origin: StoreOrigin? = nil
  ) throws -> SQLiteStore {
    let url = url.withoutLinks
    if !options.isReadOnly { try requireDerivable(model, configuration, url) }
    if let name = StoreLocation(url).memoryName {
      return try openNamed(
        name, url, model: model, configuration: configuration, options: options, origin: origin)
    }
    if StoreLocation(url).isNameless {
      return try create(
        url, model: model, configuration: configuration, isFile: false, options, origin
      ) {
        let connection = try SQLiteConnection(
          path: ":memory:", mode: .readWriteCreate, busyTimeout: options.timeout, log: options.log)
        return (connection, ConnectionPool(connection, options, isShared: false))
      }
    }
    if options.requestsFileProtection {
      Log.storeNotice(
        "\(url.path): NSPersistentStoreFileProtectionKey has no effect on this system")
    }
    // Another process may create or abandon a file between the check and the opening.
    for _ in 0..<Self.maximumAttempts {
      do {
        return try openFile(
          url, model: model, configuration: configuration, options: options, origin: origin)
      } catch is MadeElsewhere {
      } catch is AbandonedFile {
      }
    }
    throw StoreErrors.notAStore(url, "other processes repeatedly create and remove it")
  }

  /// Throws an error if the store contains a derived attribute that no statement can compute. Apple's header says
  /// that such a store cannot be added.
  ///
  /// In a compiled model, such an attribute has no value, which is logged.
  private static func requireDerivable(
    _ model: ModelLayout, _ configuration: String?, _ url: URL
  ) throws {
    if model.model.isCompiled { return }
    let unsupported = model.entities.filter { !$0.derivations.problems.isEmpty }
    if unsupported.isEmpty { return }
    let names = try ModelCheck(model: model, configuration: configuration).entityNames()
    for layout in unsupported where names.contains(layout.name) {
      guard let problem = layout.derivations.problems.first else { continue }
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleSchemaError,
        "the store \(url.path) cannot derive \(layout.name).\(problem.attribute): \(problem.reason)",
        at: url.path)
    }
  }

  private static let maximumAttempts = 10

  /// Thrown if the process that created the file did not fill it.
  private struct AbandonedFile: Error {}

  private static func openFile(
    _ url: URL, model: ModelLayout, configuration: String?, options: StoreOptions,
    origin: StoreOrigin?
  ) throws -> SQLiteStore {
    let file = try StoreFile(url)
    if try !file.exists || file.isEmpty || isDestroyed(file, options) {
      try requireCreatable(file, options)
      do {
        return try create(
          url, model: model, configuration: configuration, isFile: true, options, origin
        ) {
          let connection = try SQLiteConnection(
            path: url.path, mode: .readWriteCreate, busyTimeout: options.timeout, log: options.log)
          return (connection, ConnectionPool(connection, options, isShared: !options.isExclusive))
        }
      } catch {
        // A file that another process made belongs to that process.
        if !(error is MadeElsewhere) { removeEmptyFile(file) }
        throw error
      }
    }
    return try openExisting(
      file, url, model: model, configuration: configuration, options: options, origin: origin)
  }

  private static func openExisting(
    _ file: StoreFile, _ url: URL, model: ModelLayout, configuration: String?,
    options: StoreOptions, origin: StoreOrigin?
  ) throws -> SQLiteStore {
    let open: () throws -> SQLiteStore? = {
      try withConnection(file, options) { connection, sideFiles in
        // A process ended while it created the file, and rolling back its journal has emptied the file.
        if connection.mode == .readWrite, try connection.integer("PRAGMA page_count") == 0 {
          throw AbandonedFile()
        }
        try requireStore(connection, file)
        if try withHistoryRespected(options, on: connection, url).isReadOnly != options.isReadOnly {
          // How the file must be opened depends on the mode, so it is opened again for reading
          // only.
          close(connection, sideFiles)
          return nil
        }
        if connection.mode == .readWrite, file.applicationID == unfinishedMark {
          try finishNewFile(connection, options)
        }
        let (schema, metadata) = try check(
          connection, url, model: model, configuration: configuration, options)
        schema.keepsExactDecimals = options.keepsExactDecimals
        try StorePragmas(options: options).applyToWriter(connection)
        let isReadOnly = connection.mode != .readWrite
        if !isReadOnly {
          try connection.boundForeignCode(besides: schema, timeout: options.timeout)
        }
        let history = try StoreHistory.find(
          on: connection, schema, isRecorded: options.tracksHistory && !isReadOnly)
        if !isReadOnly {
          // Closing the store may change the file from here on. An error before this leaves the file and its folder
          // unchanged, unless `finishNewFile` or a pragma has changed them.
          connection.setCheckpointsOnClose(true)
          sideFiles?.keep()
          try tidy(connection, schema, options)
        }
        return SQLiteStore(
          url: url, origin: adoptedOrigin(origin, metadata: metadata),
          isReadOnly: isReadOnly, schema: schema,
          pool: ConnectionPool(connection, options, isShared: !options.isExclusive),
          dialect: connection.dialect, metadata: metadata, history: history, sideFiles: sideFiles)
      }
    }
    if let store = try translating(url, "open", open) { return store }
    var options = options
    options.isReadOnly = true
    return try openExisting(
      file, url, model: model, configuration: configuration, options: options, origin: origin)
  }

  /// Returns options that fit the store: a store with history is opened for reading only unless the program records its
  /// saves, because the history would otherwise have gaps.
  static func withHistoryRespected(
    _ options: StoreOptions, on connection: SQLiteConnection, _ url: URL
  ) throws -> StoreOptions {
    guard !options.isReadOnly, !options.tracksHistory, try HistorySchema.isInUse(on: connection)
    else { return options }
    Log.storeNotice(
      "\(url.path) has a persistent history, but was opened without NSPersistentHistoryTrackingKey:"
        + " it is open for reading only")
    var options = options
    options.isReadOnly = true
    return options
  }

  /// Reads the metadata and the schema of a store, and throws an error if the model does not match. For a store that is
  /// only read, damaged metadata is logged, and the model is not compared with it.
  static func check(
    _ connection: SQLiteConnection, _ url: URL, model: ModelLayout, configuration: String?,
    _ options: StoreOptions
  ) throws -> (schema: StoreSchema, metadata: [String: Any]) {
    let isRead = !connection.mayWrite && !options.requiresWholeStore
    let (metadata, metadataError) =
      isRead
      ? try StoreMetadata.readPartially(on: connection, url: url)
      : (try readForWriting(connection, url), nil)
    if let metadataError {
      Log.storeNotice(
        "\(metadataError.localizedDescription); the store is read with the passed model, and cannot be written"
      )
    } else if isRead, !(metadata[NSStoreModelVersionHashesKey] is [String: Data]) {
      Log.storeNotice(
        "the metadata of \(url.path) has no version hashes; the store is read with the passed model"
      )
    } else if !options.ignoresVersionHashes {
      try ModelCheck(model: model, configuration: configuration)
        .require(metadata, url: url) {
          try options.migrates ? nil : cachedModel(on: connection, of: url)
        }
    }
    // Check this before a row of these tables is read.
    try requirePlain(model.tables, on: connection, url)
    let schema = try SchemaReader(connection: connection, url: url, isLenient: isRead)
      .schema(
        of: model,
        stored: metadataError != nil || isRead && options.ignoresVersionHashes ? nil : metadata)
    try requirePlain(schema.joinTables, on: connection, url)
    try connection.allowIndexTriggers(of: model)
    return (schema, metadata)
  }

  /// Returns the metadata of a store that is going to be written. The metadata must be complete, because writing it
  /// would lose what could not be read.
  private static func readForWriting(
    _ connection: SQLiteConnection, _ url: URL
  ) throws -> [String: Any] {
    do {
      return try StoreMetadata.read(on: connection, url: url)
    } catch let error as NSError where error.code == NSFileReadCorruptFileError {
      throw CoreDataError.make(
        error.code,
        error.localizedDescription
          + "; it can be opened for reading only (NSReadOnlyPersistentStoreOption)",
        error.userInfo.filter { $0.key != NSLocalizedDescriptionKey }, cause: error)
    }
  }

  static func tidy(
    _ connection: SQLiteConnection, _ schema: StoreSchema, _ options: StoreOptions
  ) throws {
    guard options.vacuums || options.analyzes else { return }
    let foreignCode = try connection.foreignCode(besides: schema)
    try connection.boundingForeignCode(foreignCode, timeout: options.timeout) {
      if options.vacuums { try connection.execute("VACUUM") }
      if options.analyzes { try connection.execute("ANALYZE") }
    }
  }

  /// Returns an origin with the UUID of a store's metadata: the passed origin, or a new one.
  static func adoptedOrigin(_ origin: StoreOrigin?, metadata: [String: Any]) -> StoreOrigin {
    let identifier = metadata[NSStoreUUIDKey] as? String ?? ""
    guard let origin else { return StoreOrigin(identifier: identifier) }
    origin.identifier = identifier
    return origin
  }

  /// Runs `body` with a new connection to an existing file. If `body` throws an error before it writes, the file and
  /// its folder are unchanged.
  static func withConnection<Result>(
    _ file: StoreFile, _ options: StoreOptions,
    _ body: (SQLiteConnection, SideFiles?) throws -> Result
  ) throws -> Result {
    // No side files are created next to a store that is read as evidence (`immutableStoreOption`), and existing ones
    // belong to other processes.
    let sideFiles = file.isWAL && !options.isImmutable ? SideFiles(file) : nil
    let connection = try connect(file, options)
    // Until the store is open, closing the connection must not copy the log into the file.
    if file.isWAL { connection.setCheckpointsOnClose(false) }
    do {
      return try body(connection, sideFiles)
    } catch {
      // If `body` succeeds, it has closed or kept the connection.
      close(connection, sideFiles)
      throw error
    }
  }

  /// Closes the connection to a file that was not written.
  static func close(_ connection: SQLiteConnection, _ sideFiles: SideFiles?) {
    if let sideFiles { sideFiles.remove(closing: connection) } else { connection.close() }
  }

  /// Returns the metadata of a store, without a model.
  static func metadata(of url: URL) throws -> [String: Any] {
    try withReadConnection(to: url) { try StoreMetadata.read(on: $0, url: url) }
  }

  /// Returns the readable metadata of a store, and the error in the stored metadata. The error is nil if the metadata
  /// is intact.
  static func partialMetadata(of url: URL) throws -> (metadata: [String: Any], error: NSError?) {
    try withReadConnection(to: url) { try StoreMetadata.readPartially(on: $0, url: url) }
  }

  /// Runs `body` with a connection that reads an existing store.
  static func withReadConnection<Result>(
    to url: URL, timeout: Double = StoreOptions().timeout,
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    let url = url.withoutLinks
    if StoreLocation(url).isInMemory { return try withNamedDatabase(url, body) }
    let file = try StoreFile(url)
    guard file.exists else { throw StoreErrors.noSuchFile(url) }
    if file.isEmpty { throw StoreErrors.notAStore(url, "the file is empty") }
    return try translating(url, "open") {
      var options = StoreOptions()
      options.isReadOnly = true
      options.isImmutable = ImmutableStoreScope.isOn
      options.timeout = timeout
      return try withConnection(file, options) { connection, sideFiles in
        try requireStore(connection, file)
        let result = try body(connection)
        close(connection, sideFiles)
        return result
      }
    }
  }

  /// Connects to an existing file, if possible without writing to it or next to it.
  private static func connect(_ file: StoreFile, _ options: StoreOptions) throws -> SQLiteConnection
  {
    let path = file.url.path
    let hasSideFiles = UnsharedFile.hasSideFiles(path)
    // Detecting other processes reads all locks of the system, so it is only done if the mode
    // depends on it.
    let mode = try StoreAccess(
      path: path, isReadOnly: options.isReadOnly, isImmutable: options.isImmutable,
      isWAL: file.isWAL, walSize: file.walSize ?? 0, hasSideFiles: hasSideFiles,
      isInUse: options.isReadOnly && hasSideFiles && FileUse.isInUse(path),
      canWriteFile: access(path, W_OK) == 0, canWriteFolder: file.folderIsWritable
    ).mode()
    return try SQLiteConnection(
      path: path, mode: mode, busyTimeout: options.timeout, log: options.log,
      isNeverShared: options.isImmutable)
  }

  /// Returns whether a database has Core Data's tables.
  static func hasTables(_ connection: SQLiteConnection) throws -> Bool {
    let count = try connection.integer(
      "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table'"
        + " AND name COLLATE NOCASE IN ('Z_METADATA', 'Z_PRIMARYKEY')")
    return count == 2
  }

  /// Returns whether a database contains a table of entity rows, which may lack one of the three common columns. Such a
  /// database is a store, even if it lacks Core Data's own tables.
  static func hasTableOfRows(_ connection: SQLiteConnection) throws -> Bool {
    try connection.integer(
      "SELECT 1 FROM sqlite_schema m WHERE m.type = 'table' AND m.name GLOB '[Zz][^_]*'"
        + " AND \(TableCondition.isPlain) AND 2 <= (SELECT COUNT(*)"
        + " FROM pragma_table_info(m.name) WHERE UPPER(name) IN ('Z_PK', 'Z_ENT', 'Z_OPT'))"
        + " LIMIT 1") == 1
  }

  /// Throws an error if the file lacks Core Data's tables, or if one of its tables runs code.
  static func requireStore(_ connection: SQLiteConnection, _ file: StoreFile) throws {
    // Rows can be read without the tables Z_METADATA and Z_PRIMARYKEY, but writing rows needs both.
    if try hasTables(connection) || !connection.mayWrite && hasTableOfRows(connection) {
      return try requirePlainTables(connection, file.url)
    }
    let tables = try connection.integer("SELECT COUNT(*) FROM sqlite_schema") ?? 0
    if tables == 0, file.isWAL, (file.walSize ?? 0) == 0 {
      throw StoreErrors.damaged(
        file.url,
        "it is empty, and its write-ahead log \(file.url.lastPathComponent)-wal, which contained the data, is"
          + " missing; copy both files together")
    }
    throw StoreErrors.notAStore(file.url, "it is a SQLite file without Core Data's tables")
  }

  /// Throws an error if one of the tables runs code, which no table of a store does. In a store that is only read, this
  /// method checks only Core Data's own tables, and `check` then checks those of the model. Other tables are not read,
  /// so they do no harm.
  static func requirePlainTables(_ connection: SQLiteConnection, _ url: URL) throws {
    let foreign = try ForeignTable.all(on: connection).filter(\.isOfStore)
    if let table = foreign.first(where: { connection.mayWrite || $0.isOwn }) {
      throw StoreErrors.damaged(url, table.problem)
    }
    connection.foreignTables = foreign
  }

  /// Throws an error if one of the named tables runs code.
  private static func requirePlain(
    _ names: @autoclosure () -> Set<String>, on connection: SQLiteConnection, _ url: URL
  ) throws {
    if connection.foreignTables.isEmpty { return }
    let names = names()
    guard
      let table = connection.foreignTables.first(where: {
        names.contains($0.name.asciiUppercased)
      })
    else { return }
    throw StoreErrors.damaged(url, table.problem)
  }

  static func translating<Result>(
    _ url: URL, _ action: String, code: Int = NSPersistentStoreOpenError,
    _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw StoreErrors.translate(error, action, url, code: code)
    }
  }
}
