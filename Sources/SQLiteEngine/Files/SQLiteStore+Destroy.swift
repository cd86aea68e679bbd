import CSQLite
import StoreEngine

extension SQLiteStore {
  /// A mark in the header of a file that was emptied while other connections may have had it open. The next connection
  /// creates a new store in the file. Spells "OCDx".
  private static let emptiedMark: Int64 = 0x4f43_4478

  /// Replaces the metadata of a store that is not open.
  static func setMetadata(_ metadata: [String: Any], of url: URL, _ options: StoreOptions) throws {
    try changing(url, "save the metadata of", options) { connection in
      let old = try StoreMetadata.read(on: connection, url: url)
      try StoreMetadata.write(
        StoreMetadata.completed(metadata, from: old, type: NSSQLiteStoreType), on: connection)
    }
  }

  /// Deletes the history of a store that is not open.
  static func clearHistory(of url: URL, _ options: StoreOptions) throws {
    try changing(url, "clear the history of", options) { try HistorySchema.clear(on: $0) }
  }

  /// Runs `body` in a transaction of a store that is not open.
  private static func changing(
    _ url: URL, _ action: String, _ options: StoreOptions, _ body: (SQLiteConnection) throws -> Void
  ) throws {
    let url = url.withoutLinks
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
      // Core Data creates no triggers on these tables.
      connection.disableTriggers()
      try connection.boundForeignCode(besides: nil, timeout: options.timeout)
      try write(on: connection)
    }
  }

  /// Empties a store: the file remains, without content, and the value files that only this store uses are removed.
  ///
  /// Connections of other processes see an empty database instead of a damaged one.
  ///
  /// If there is no file, an empty one is created, so that the result is the same.
  ///
  /// - Throws: If the store is in memory without a name, its folder does not exist, the folder of the value files is a
  ///   link, or the file is not a SQLite file, is shorter than its header says or cannot be written; unless
  ///   `NSPersistentStoreForceDestroyOption` is set, also if the file is locked for too long, has other names (hard
  ///   links), or has a journal that refers to another file.
  static func destroy(_ url: URL, _ options: StoreOptions) throws {
    let url = url.withoutLinks
    if let name = StoreLocation(url).memoryName { return try destroyNamed(name) }
    guard !StoreLocation(url).isInMemory else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError,
        "a store in memory without a name cannot be destroyed: \(url.path)", at: url.path)
    }
    if !options.forcesDestruction { try FileNumber.requireOnlyName(url, to: "destroy") }
    let files = ExternalFiles(store: url)
    // Throws if the folder is a link, because the files in the linked folder do not belong to the store. This must be
    // checked before anything is removed.
    try files.requireFolder()
    if !FileManager.default.fileExists(atPath: url.path) {
      guard FileManager.default.createFile(atPath: url.path, contents: Data()) else {
        throw StoreErrors.noSuchFile(url)
      }
    }
    // A truncated store can be destroyed, like any damaged one.
    let file = try StoreFile(url, acceptsTruncation: true)
    let others = files.others
    // If the store's own files cannot be determined, all are kept, so that another store does not lose its files.
    // The files are determined now, because the rows that refer to them are removed first.
    let own =
      others.isEmpty || file.isEmpty
      ? ValueFileNames()
      : (try? ownFiles(of: url, besides: others, options)) ?? ValueFileNames()
    if !file.isEmpty {
      let isAlone: Bool
      do {
        isAlone = try empty(file, options)
      } catch let error
        where options.forcesDestruction || (error as? SQLiteError)?.isDamage == true
      {
        isAlone = true
      } catch let error as SQLiteError {
        throw StoreErrors.translate(error, "destroy", url, code: NSPersistentStoreOperationError)
      }
      if isAlone { try truncate(file) }
    }
    // Remove the files after the rows: a crash in between leaves files without rows, but no rows
    // without their files.
    if others.isEmpty {
      try files.removeAll()
    } else {
      files.remove(try files.names().filter(own.contains))
    }
  }

  /// Returns the files that only the rows of this store refer to, because another store in the folder may be a copy
  /// of it.
  ///
  /// - Throws: If one of the stores cannot be read.
  private static func ownFiles(
    of url: URL, besides others: [URL], _ options: StoreOptions
  ) throws -> ValueFileNames {
    try others.reduce(namedFiles(of: url, options)) { own, other in
      own.subtracting(try withReadConnection(to: other) { try ExternalFiles.named(on: $0) })
    }
  }

  /// Removes all content from a database.
  ///
  /// - Returns: Whether it is certain that no other connection has the file open.
  private static func empty(_ file: StoreFile, _ options: StoreOptions) throws -> Bool {
    let connection = try SQLiteConnection(
      path: file.url.path, mode: .readWrite, busyTimeout: options.timeout)
    defer { connection.close() }
    // While SQLite resets a database, it does not read the header, which records whether there is a write-ahead log.
    // If the log is empty, SQLite would then wait for all readers to end, so the query makes it read the header first.
    // A damaged file has no readable header.
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
    // Without a log, other connections hold no lock between transactions, so they cannot be detected. They notice new
    // content by the change counter in the file, so the file must not be truncated, which would reset the counter.
    if !file.isWAL { return false }
    sqlite3_busy_timeout(connection.handle, 0)
    do {
      // SQLite leaves WAL mode only if no other connection has the file open.
      return try connection.text("PRAGMA journal_mode = DELETE") == "delete"
    } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
      return false
    }
  }

  /// Truncates the file of a database without connections, and removes its journal.
  ///
  /// The files of a write-ahead log stay as empty files, as in Apple's Core Data: CareKit's `OCKStore.delete()` removes
  /// them after the store was destroyed, and fails if one is missing.
  private static func truncate(_ file: StoreFile) throws {
    let path = file.url.path
    guard Foundation.truncate(path, 0) == 0 else { throw FileErrors.failure("destroy", path) }
    let kept = file.isWAL ? ["-wal", "-shm"] : []
    for suffix in ["-wal", "-shm", "-journal"] { try StoreLocation.removeFile(path + suffix) }
    // SQLite creates these files with the permissions of the database, too.
    var attributes = try FileManager.default.attributesOfItem(atPath: path)
    let names: [FileAttributeKey] =
      [.posixPermissions] + (geteuid() == 0 ? [.ownerAccountID, .groupOwnerAccountID] : [])
    attributes = attributes.filter { names.contains($0.key) }
    for suffix in kept {
      guard
        FileManager.default.createFile(atPath: path + suffix, contents: nil, attributes: attributes)
      else {
        // The store is destroyed; only its files differ from those of Apple's Core Data.
        let reason = FileErrors.failure("write", path + suffix).localizedDescription
        Log.storeNotice("the destroyed store \(path) lacks an empty file: \(reason)")
        continue
      }
    }
  }

  /// Returns whether a file was emptied while other connections may have had it open.
  static func isDestroyed(_ file: StoreFile, _ options: StoreOptions) throws -> Bool {
    // Such a file is small, so most stores need no connection for this check.
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
