import CSQLite
import StoreEngine

extension SQLiteStore {
  /// Replaces a store with the content of another one. The destination need not exist.
  ///
  /// The pages are written in one transaction of the destination, so other connections see either the old or the new
  /// content, and a crash leaves the old content. Value files are added before the transaction, and those of the old
  /// content are removed after it.
  ///
  /// Other connections may write to the source during the copy. The copy contains the state of the source at one
  /// moment. Value files that saves add meanwhile are copied after the transaction. If saves remove a file that the
  /// copy needs, the pages are written again.
  ///
  /// - Parameter unchanged: Detects changes to the destination, which prevent the replacement; nil to allow changes.
  /// - Throws: If the source is not a store, the destination is another program's file, one of the two cannot be read
  ///   or written or is in memory without a name, both are the same file, the destination's file has other names (hard
  ///   links) or was changed, the request is cancelled, or saves of the source add and remove files too often. The
  ///   destination is then unchanged, unless the pages were already written, and only files that saves added meanwhile
  ///   could not be copied.
  static func replace(
    _ destination: URL, _ destinationOptions: StoreOptions, with source: URL,
    _ sourceOptions: StoreOptions, if unchanged: (any UnchangedFile)?, _ cancellation: Cancellation?
  ) throws {
    let (source, destination) = (source.withoutLinks, destination.withoutLinks)
    for url in [source, destination] where StoreLocation(url).isNameless {
      throw CoreDataError.make(
        NSPersistentStoreOperationError,
        "a store in memory without a name cannot be copied or replaced",
        at: url.path)
    }
    // Two names may belong to the same file (hard links).
    let (own, other) = (FileNumber(source.path), FileNumber(destination.path))
    guard source.path != destination.path, own == nil || own != other else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "a store cannot replace itself: \(source.path)",
        at: source.path)
    }
    try withReadConnection(to: source, timeout: sourceOptions.timeout) {
      try copy($0, from: source, to: destination, destinationOptions, cancellation, if: unchanged)
    }
  }

  /// Copies a database to a file or a named database in memory, as `replace` does.
  static func copy(
    _ connection: SQLiteConnection, from source: URL, to destination: URL, _ options: StoreOptions,
    _ cancellation: Cancellation?, if unchanged: (any UnchangedFile)? = nil
  ) throws {
    if let name = StoreLocation(destination).memoryName {
      return try copy(connection, from: source, toNamed: name, options, cancellation)
    }
    let existed = FileManager.default.fileExists(atPath: destination.path)
    // Check that the destination can be replaced before adding value files to it.
    try StoreFile.requireUsableSideFiles(destination)
    if existed {
      // A migration, which passes `unchanged`, writes its own store, as each save does, even if the file has other
      // names.
      if unchanged == nil { try FileNumber.requireOnlyName(destination, to: "replace") }
      try requireReplaceable(destination, options)
    }
    let old = ExternalFiles(store: destination)
    let new = ExternalFiles(store: source)
    for files in [old, new] { try files.requireFolder() }
    // In a shared folder, files without a reference may belong to the other store.
    let before = old.isShared ? [] : try old.names()
    let foldersBefore = old.presentFolders
    // Keeps files of the source that a save of this process would otherwise remove.
    let use = ExternalUse.of(source)
    use.pin()
    defer { use.unpin() }
    if !existed { try makeFile(destination, for: source) }
    var added: [String] = []
    var unused: [String] = []
    do {
      added = try new.copy(to: old)
      try writePages(of: connection, to: destination, options, cancellation, if: unchanged)
      if try !new.names().isEmpty || !added.isEmpty || !before.isEmpty {
        let named = try copyLateFiles(
          of: connection, from: new, to: destination, options, cancellation, &added)
        unused = before.filter { !named.contains($0) }
      }
    } catch {
      // The destination contains either the old content or the new pages, which need the added files.
      if existed {
        removeUnnamed(added, of: destination, options, after: error as NSError)
      } else {
        old.remove(added)
        removeFiles(of: destination)
      }
      old.removeEmptyFolders(besides: foldersBefore)
      throw error
    }
    ExternalUse.of(destination).discard(unused)
  }

  /// Throws an error if a file is another program's database or not a database, because a link may lead to such a file.
  /// A damaged store can be replaced.
  private static func requireReplaceable(_ url: URL, _ options: StoreOptions) throws {
    let (isEmpty, isDatabase) = try StoreBytes.withBytes(of: url) {
      ($0.count == 0, try $0.isDatabase())
    }
    if isEmpty { return }
    guard isDatabase else { throw StoreErrors.notAStore(url, "it is not a SQLite file") }
    let hasOthersTables: Bool
    do {
      let file = try StoreFile(url)
      var options = options
      options.isReadOnly = true
      hasOthersTables = try withConnection(file, options) { connection, sideFiles in
        let isOthers =
          try !hasTables(connection) && !hasTableOfRows(connection)
          && connection.integer(
            "SELECT COUNT(*) FROM sqlite_schema WHERE name NOT LIKE 'Z%' AND name NOT LIKE 'sqlite%'"
          ) != 0
        close(connection, sideFiles)
        return isOthers
      }
    } catch let error as SQLiteError where !error.isDamage {
      throw error
    } catch {
      // An unreadable store can be replaced.
      return
    }
    if hasOthersTables {
      throw StoreErrors.notAStore(url, "it is a SQLite file without Core Data's tables")
    }
  }

  /// Creates the file of a copy with the permissions of the store, so that only users who can read the store can read
  /// the copy.
  private static func makeFile(_ destination: URL, for source: URL) throws {
    let folder = destination.deletingLastPathComponent()
    guard FileManager.default.fileExists(atPath: folder.path) else {
      throw CoreDataError.make(
        NSPersistentStoreOpenError, "cannot create \(destination.path): its folder does not exist",
        at: destination.path)
    }
    try FileRights(ofFile: source.path)?.makeCopy(destination.path)
  }

  /// Removes files that were added for pages that were not written. An error does not show whether the pages were
  /// written, so the store is checked. If it is unreadable, the files are kept, because unneeded files do no
  /// harm.
  private static func removeUnnamed(
    _ added: [String], of destination: URL, _ options: StoreOptions, after error: NSError
  ) {
    if added.isEmpty { return }
    do {
      let code = error.userInfo[NSSQLiteErrorDomain] as? Int ?? 0
      // If there was no other connection, closing ours has removed the log, and the file is unchanged.
      if code & 0xff == Int(SQLITE_IOERR),
        FileManager.default.fileExists(atPath: destination.path + "-wal")
      {
        try settle(destination, options)
      }
      let named = try namedFiles(of: destination, options)
      ExternalFiles(store: destination).remove(added.filter { !named.contains($0) })
    } catch {
      let files = added.count == 1 ? "1 value file" : "\(added.count) value files"
      Log.storeError(
        "\(files) copied for \(destination.path) \(added.count == 1 ? "remains" : "remain") and may be unused:"
          + " \(error.localizedDescription)")
    }
  }

  /// Commits a transaction without changes. If the commit of the pages failed after the pages were written to the log,
  /// the log still contains them while another connection has the file open, and a recovery after a crash would find
  /// them. Another commit overwrites them.
  private static func settle(_ destination: URL, _ options: StoreOptions) throws {
    let connection = try SQLiteConnection(
      path: destination.path, mode: .readWrite, busyTimeout: options.timeout)
    defer { connection.close() }
    try connection.transaction {
      let version = try connection.integer("PRAGMA user_version") ?? 0
      try connection.execute("PRAGMA user_version = \(version)")
    }
  }

  /// Returns the files that a store's rows refer to.
  static func namedFiles(of destination: URL, _ options: StoreOptions) throws -> ValueFileNames {
    try translating(destination, "replace") {
      let sideFiles = SideFiles(try StoreFile(destination))
      let copy = try SQLiteConnection(
        path: destination.path, mode: .queryOnly, busyTimeout: options.timeout)
      defer { sideFiles.remove(closing: copy) }
      return try ExternalFiles.named(on: copy)
    }
  }

  /// Copies the files that saves have added since the first files were copied. If a file was removed again together
  /// with its row, the pages are copied again.
  ///
  /// - Parameter added: Receives the names of the files.
  /// - Returns: The files that the copy's rows refer to.
  private static func copyLateFiles(
    of source: SQLiteConnection, from new: ExternalFiles, to destination: URL,
    _ options: StoreOptions, _ cancellation: Cancellation?, _ added: inout [String]
  ) throws -> ValueFileNames {
    let old = ExternalFiles(store: destination)
    let deadline = Date(timeIntervalSinceNow: min(max(options.timeout, 0), 1e9))
    var lost: Set<String> = []
    while true {
      added += try new.copy(to: old)
      let named = try namedFiles(of: destination, options)
      let present = Set(try old.names())
      let missing = named.sorted.filter { !ExternalFiles.isPresent($0, among: present) }
      // Files that are missing twice were missing in the source.
      if missing.allSatisfy(lost.contains) { return named }
      if Date() > deadline {
        throw CoreDataError.make(
          NSPersistentStoreTimeoutError,
          "cannot copy to \(destination.path): files of the store are added and removed too often",
          at: destination.path)
      }
      lost.formUnion(missing)
      try writePages(of: source, to: destination, options, cancellation)
    }
  }

  private static func writePages(
    of source: SQLiteConnection, to destination: URL, _ options: StoreOptions,
    _ cancellation: Cancellation?, if unchanged: (any UnchangedFile)? = nil
  ) throws {
    try translating(destination, "replace") {
      let kept = (unchanged as? UnchangedDatabase)?.connection
      let target =
        try kept
        ?? SQLiteConnection(
          path: destination.path, mode: .readWriteCreate, busyTimeout: options.timeout)
      defer { if kept == nil { target.close() } }
      let isReset = try kept == nil && hasUnreadableHeader(target, destination)
      if isReset {
        _ = sqlite3_db_config_flag(target.handle, SQLITE_DBCONFIG_RESET_DATABASE, 1)
      }
      // A file in WAL mode cannot change its page size.
      let size = try source.integer("PRAGMA page_size")
      if try target.integer("PRAGMA page_size") != size {
        _ = try target.text("PRAGMA journal_mode = DELETE")
      }
      try copyPages(of: source, to: target, timeout: options.timeout, cancellation) {
        try unchanged?.requireUnchanged()
      }
      if isReset {
        _ = sqlite3_db_config_flag(target.handle, SQLITE_DBCONFIG_RESET_DATABASE, 0)
      }
      // New stores, including Apple's, are in WAL mode.
      _ = try target.text("PRAGMA journal_mode = WAL")
    }
  }

  /// Returns whether a database is truncated or has a damaged header, so that SQLite refuses to write it unless it
  /// resets it (sqlite.org/c3ref/c_dbconfig_defensive.html, `SQLITE_DBCONFIG_RESET_DATABASE`).
  ///
  /// False if there is a log or journal with content: other connections may have the database open, and SQLite must read
  /// the header to share it with them.
  private static func hasUnreadableHeader(
    _ target: SQLiteConnection, _ url: URL
  ) throws -> Bool {
    do {
      // Reads the header, but not the tables.
      _ = try target.integer("PRAGMA schema_version")
      return false
    } catch let error as SQLiteError where error.isDamage {
      return !StoreFile.isBeingWritten(url)
    }
  }

  /// The number of pages that are copied between checks for a cancellation.
  private static let portion: Int32 = 4_096

  /// Replaces all pages of a database with those of another one, in one transaction of each.
  ///
  /// - Parameter check: Called when the target is locked, before anything is written. If it throws an error, the
  ///   transaction is rolled back.
  static func copyPages(
    of source: SQLiteConnection, to target: SQLiteConnection, timeout: Double,
    _ cancellation: Cancellation?, check: () throws -> Void = {}
  ) throws {
    // A transaction keeps the state of the source while other connections write to it between two portions.
    let ownsTransaction = !source.isInTransaction
    if ownsTransaction {
      try source.execute("BEGIN")
      // BEGIN acquires no lock. The first read determines the state.
      _ = try source.integer("SELECT COUNT(*) FROM sqlite_schema")
    }
    defer { if ownsTransaction { source.endReading() } }
    guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
      throw target.error(sqlite3_errcode(target.handle), sql: nil)
    }
    let deadline = Date(timeIntervalSinceNow: timeout)
    func step(_ pages: Int32) -> Int32 {
      var code = sqlite3_backup_step(backup, pages)
      while code == SQLITE_BUSY || code == SQLITE_LOCKED, Date() < deadline {
        sqlite3_sleep(20)
        code = sqlite3_backup_step(backup, pages)
      }
      return code
    }
    // Copies no page, but acquires the locks.
    var code = step(0)
    if code == SQLITE_OK {
      do { try check() } catch {
        sqlite3_backup_finish(backup)
        throw error
      }
      code = step(portion)
      while code == SQLITE_OK, cancellation?.isCancelled != true { code = step(portion) }
      if code == SQLITE_OK {
        // The request was cancelled. Finishing the backup rolls back the incomplete transaction of
        // the target.
        sqlite3_backup_finish(backup)
        throw CocoaError(.userCancelled)
      }
    }
    let finish = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, finish == SQLITE_OK else {
      throw target.error(code == SQLITE_DONE ? finish : code, sql: nil)
    }
  }

  /// Removes the files of an incomplete database.
  static func removeFiles(of url: URL) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      do { try StoreLocation.removeFile(url.path + suffix) } catch {
        Log.storeError(error.localizedDescription)
      }
    }
  }
}

extension SQLiteConnection {
  /// Ends a read transaction.
  fileprivate func endReading() {
    do { try execute("COMMIT") } catch {
      // Closing the connection ends the transaction, too.
      Log.storeError("the read transaction of a copy could not be ended: \(error)")
    }
  }
}
