import CSQLite
import StoreEngine

extension SQLiteStore {
  /// In the header of a file that was emptied while others had it open: the next who opens it makes
  /// a new store there. Spells "OCDx".
  private static let emptiedMark: Int64 = 0x4f43_4478

  /// Replaces the metadata of a store that is not open.
  static func setMetadata(_ metadata: [String: Any], of url: URL, _ options: StoreOptions) throws {
    try changing(url, "save the metadata of", options) { connection in
      let old = try StoreMetadata.read(on: connection, url: url)
      try StoreMetadata.write(
        StoreMetadata.completed(metadata, from: old, type: NSSQLiteStoreType), on: connection)
    }
  }

  /// Forgets the history of a store that is not open.
  static func clearHistory(of url: URL, _ options: StoreOptions) throws {
    try changing(url, "clear the history of", options) { try HistorySchema.clear(on: $0) }
  }

  /// Runs `body` in a transaction of a store that is not open.
  private static func changing(
    _ url: URL, _ action: String, _ options: StoreOptions, _ body: (SQLiteConnection) throws -> Void
  ) throws {
    func write(on connection: SQLiteConnection) throws {
      try WriteTransaction.run(on: connection, of: url) { try body($0.connection) }
    }
    if StoreLocation(url).isInMemory { return try withNamedDatabase(url, write) }
    let file = try StoreFile(url)
    guard file.exists else { throw StoreErrors.noSuchFile(url) }
    if file.isEmpty { throw StoreErrors.notAStore(url, "the file is empty") }
    try translating(url, action) {
      let connection = try SQLiteConnection(
        path: url.path, mode: .readWrite, busyTimeout: options.timeout)
      defer { connection.close() }
      try requireStore(connection, file)
      // Core Data has none for these tables.
      connection.disableTriggers()
      try write(on: connection)
    }
  }

  /// Empties a store: the file stays, without content, and the files of externally kept values go.
  ///
  /// Connections that others have open are respected: they find an empty database, not a damaged one.
  ///
  /// Where there is no file, an empty one is made: destroying says how it is to be afterwards.
  ///
  /// - Throws: when there is no such folder, it is no SQLite file, it is locked for too long, or the file has other
  ///   names (hard links), where `NSPersistentStoreForceDestroyOption` is not set.
  static func destroy(_ url: URL, _ options: StoreOptions) throws {
    if let name = StoreLocation(url).memoryName { return try destroyNamed(name) }
    guard !StoreLocation(url).isInMemory else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError,
        "a store in memory without a name cannot be destroyed: \(url.path)", at: url.path)
    }
    if !options.forcesDestruction { try FileNumber.requireOnlyName(url, to: "destroy") }
    let files = ExternalFiles(store: url)
    // Before anything is gone: files that lie elsewhere are not removed, nor left without a word.
    try files.requireFolder()
    if !FileManager.default.fileExists(atPath: url.path) {
      guard FileManager.default.createFile(atPath: url.path, contents: Data()) else {
        throw StoreErrors.noSuchFile(url)
      }
    }
    let file = try StoreFile(url)
    let others = files.others
    // Where nobody can read which they are, they stay, rather than that another store loses its own.
    let own =
      others.isEmpty || file.isEmpty
      ? ValueFileNames()
      : (try? ownFiles(of: url, besides: others, options)) ?? ValueFileNames()
    if !file.isEmpty {
      let isAlone: Bool
      do {
        isAlone = try empty(file, options)
      } catch let error as SQLiteError where options.forcesDestruction || error.isDamage {
        isAlone = true
      } catch let error as SQLiteError {
        throw StoreErrors.translate(error, "destroy", url, code: NSPersistentStoreOperationError)
      }
      if isAlone { try truncate(url) }
    }
    if others.isEmpty {
      try files.removeAll()
    } else {
      files.remove(try files.names().filter(own.contains))
    }
  }

  /// The files that the rows of a store name, and none of those of other stores: one may be a copy of it.
  ///
  /// - Throws: where one of them cannot be read.
  private static func ownFiles(
    of url: URL, besides others: [URL], _ options: StoreOptions
  ) throws -> ValueFileNames {
    try others.reduce(namedFiles(of: url, options)) { own, other in
      own.subtracting(try withReadConnection(to: other) { try ExternalFiles.named(on: $0) })
    }
  }

  /// Removes everything from a database.
  ///
  /// - Returns: whether it is certain that no one else has the file open.
  private static func empty(_ file: StoreFile, _ options: StoreOptions) throws -> Bool {
    let connection = try SQLiteConnection(
      path: file.url.path, mode: .readWrite, busyTimeout: options.timeout)
    defer { connection.close() }
    // While it resets a database, SQLite does not read the header that says that there is a write-ahead
    // log. Where the log is empty it would wait for all readers to go, so it has to know before; a
    // damaged file has nothing to be known.
    do {
      _ = try connection.integer("SELECT COUNT(*) FROM sqlite_schema")
    } catch let error as SQLiteError where error.isDamage {}
    _ = sqlite3_db_config_flag(connection.handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
    guard sqlite3_db_config_flag(connection.handle, SQLITE_DBCONFIG_RESET_DATABASE, 1) == SQLITE_OK
    else { throw connection.error(SQLITE_ERROR, sql: nil) }
    defer { _ = sqlite3_db_config_flag(connection.handle, SQLITE_DBCONFIG_RESET_DATABASE, 0) }
    try connection.execute("VACUUM")
    _ = sqlite3_db_config_flag(connection.handle, SQLITE_DBCONFIG_RESET_DATABASE, 0)
    try connection.execute("PRAGMA application_id = \(emptiedMark)")
    // Whoever has it open without a log holds no lock meanwhile. It notices other content by the count of
    // changes in the file, which must not begin anew.
    if !file.isWAL { return false }
    sqlite3_busy_timeout(connection.handle, 0)
    do {
      // Only whoever is alone may leave WAL mode.
      return try connection.text("PRAGMA journal_mode = DELETE") == "delete"
    } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
      return false
    }
  }

  private static func truncate(_ url: URL) throws {
    guard Foundation.truncate(url.path, 0) == 0 else {
      throw CoreDataError.make(
        NSFileWriteUnknownError, "cannot destroy \(url.path): \(String(cString: strerror(errno)))",
        at: url.path)
    }
    for suffix in ["-wal", "-shm", "-journal"] { try StoreLocation.removeFile(url.path + suffix) }
  }

  /// Whether a file was emptied while others had it open.
  static func isDestroyed(_ file: StoreFile, _ options: StoreOptions) throws -> Bool {
    // Such a file is small; most stores are told apart without another connection.
    let size = try FileManager.default.attributesOfItem(atPath: file.url.path)[.size] as? NSNumber
    guard file.exists, !file.isEmpty, !options.isReadOnly,
      (size?.intValue ?? 0) <= 16_384 || (file.walSize ?? 0) > 0
    else { return false }
    guard file.applicationID == emptiedMark || (file.walSize ?? 0) > 0 else { return false }
    return try translating(file.url, "open") {
      try withConnection(file, options) { connection, sideFiles in
        let mark = try connection.integer("PRAGMA application_id")
        let tables = try connection.integer("SELECT COUNT(*) FROM sqlite_schema")
        close(connection, sideFiles)
        return mark == emptiedMark && tables == 0
      }
    }
  }
}
