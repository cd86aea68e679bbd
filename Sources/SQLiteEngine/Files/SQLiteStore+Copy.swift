import CSQLite
import StoreEngine

extension SQLiteStore {
  /// Puts a store's content in the place of another's, or where there is none: all or nothing.
  ///
  /// The pages are written in one transaction of the destination, so whoever has it open sees the
  /// old content or the new one; a crash leaves the old one. Files of externally kept values are
  /// added before it, and those of the old content removed after it.
  ///
  /// The source may be open and written to meanwhile: the copy is what it was at one moment.
  ///
  /// - Parameter unchanged: the destination, where it must not have changed since.
  /// - Throws: when the source is no store, one of the two cannot be read or written, both are the same file, or
  ///   the destination's file has other names (hard links); the destination is then as it was.
  static func replace(
    _ destination: URL, _ destinationOptions: StoreOptions, with source: URL,
    _ sourceOptions: StoreOptions, if unchanged: (any UnchangedFile)?, _ cancellation: Cancellation?
  ) throws {
    for url in [source, destination] where StoreLocation(url).isNameless {
      throw CoreDataError.make(
        NSPersistentStoreOperationError,
        "a store in memory without a name has no content that could be copied or replaced",
        at: url.path)
    }
    // Two names, of which none need be a symbolic link, may be the same file's.
    let (own, other) = (FileNumber(source.path), FileNumber(destination.path))
    let isSame =
      source.resolvingSymlinksInPath().path == destination.resolvingSymlinksInPath().path
      || own != nil && own == other
    guard !isSame else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "a store cannot replace itself: \(source.path)",
        at: source.path)
    }
    try withReadConnection(to: source, timeout: sourceOptions.timeout) {
      try copy($0, from: source, to: destination, destinationOptions, cancellation, if: unchanged)
    }
  }

  /// Copies a database to a file or a name, by the rules of `replace`.
  static func copy(
    _ connection: SQLiteConnection, from source: URL, to destination: URL, _ options: StoreOptions,
    _ cancellation: Cancellation?, if unchanged: (any UnchangedFile)? = nil
  ) throws {
    if let name = StoreLocation(destination).memoryName {
      return try copy(connection, from: source, toNamed: name, cancellation)
    }
    let existed = FileManager.default.fileExists(atPath: destination.path)
    // Before a file of a value is beside it.
    if existed {
      // A migration writes its own store, as each save does, whatever names the file has.
      if unchanged == nil { try FileNumber.requireOnlyName(destination, to: "replace") }
      try requireReplaceable(destination, options)
    }
    let old = ExternalFiles(store: destination)
    let new = ExternalFiles(store: source)
    for files in [old, new] { try files.requireFolder() }
    let before = old.isShared ? [] : try old.names()
    let foldersBefore = old.presentFolders
    // No file goes meanwhile that a save of this process lets go.
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
      // What was there before is there, or the new pages with as many of their files as there are.
      if existed {
        removeUnnamed(added, of: destination, options)
      } else {
        old.remove(added)
        removeFiles(of: destination)
      }
      old.removeEmptyFolders(besides: foldersBefore)
      throw error
    }
    ExternalUse.of(destination).discard(unused)
  }

  /// Throws where a file is something else than a store, such as another program's database or text: a link may have
  /// led there. A store that is damaged may be replaced.
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
      // What cannot be read any more is replaced.
      return
    }
    if hasOthersTables {
      throw StoreErrors.notAStore(url, "it is a SQLite file without Core Data's tables")
    }
  }

  /// Makes the file of a copy, so that nobody may read it who may not read the store.
  private static func makeFile(_ destination: URL, for source: URL) throws {
    let folder = destination.deletingLastPathComponent()
    guard FileManager.default.fileExists(atPath: folder.path) else {
      throw CoreDataError.make(
        NSPersistentStoreOpenError, "cannot create \(destination.path): its folder does not exist",
        at: destination.path)
    }
    try FileRights(ofFile: source.path)?.makeCopy(destination.path)
  }

  /// Removes files that were added for pages which did not come. An error does not tell whether they did, the
  /// store does; where it cannot be read, files that nobody needs do no harm.
  private static func removeUnnamed(
    _ added: [String], of destination: URL, _ options: StoreOptions
  ) {
    if added.isEmpty { return }
    do {
      let named = try namedFiles(of: destination, options)
      ExternalFiles(store: destination).remove(added.filter { !named.contains($0) })
    } catch {
      Log.storeError(
        "\(destination.path) keeps \(added.count) files that it may not need:"
          + " \(error.localizedDescription)")
    }
  }

  /// The files that a store's rows name.
  static func namedFiles(of destination: URL, _ options: StoreOptions) throws -> ValueFileNames {
    try translating(destination, "replace") {
      let sideFiles = SideFiles(try StoreFile(destination))
      let copy = try SQLiteConnection(
        path: destination.path, mode: .queryOnly, busyTimeout: options.timeout)
      defer { sideFiles.remove(closing: copy) }
      return try ExternalFiles.named(on: copy)
    }
  }

  /// Copies the files that saves have named since the first were copied. Where a file is gone again,
  /// with its row, the pages are taken anew.
  ///
  /// - Parameter added: gets the names of the files.
  /// - Returns: the names that the copy's rows have.
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
      // What is missing twice was missing before.
      if missing.allSatisfy(lost.contains) { return named }
      if Date() > deadline {
        throw CoreDataError.make(
          NSPersistentStoreTimeoutError,
          "cannot copy to \(destination.path): files of the store come and go too fast",
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
      // A file in WAL mode keeps the size of its pages.
      let size = try source.integer("PRAGMA page_size")
      if try target.integer("PRAGMA page_size") != size {
        _ = try target.text("PRAGMA journal_mode = DELETE")
      }
      try copyPages(of: source, to: target, timeout: options.timeout, cancellation) {
        try unchanged?.requireUnchanged()
      }
      // As a new store, and as Apple's.
      _ = try target.text("PRAGMA journal_mode = WAL")
    }
  }

  /// How many pages are copied before the next look whether anybody still wants them.
  private static let portion: Int32 = 4_096

  /// Copies all pages of a database over another one, in one transaction of that one and one of its own.
  ///
  /// - Parameter check: called when the other one is locked and nothing is written yet; what it throws
  ///   ends the transaction.
  static func copyPages(
    of source: SQLiteConnection, to target: SQLiteConnection, timeout: Double,
    _ cancellation: Cancellation?, check: () throws -> Void = {}
  ) throws {
    // One state of the source, whoever writes to it between two portions.
    let ownsTransaction = !source.isInTransaction
    if ownsTransaction {
      try source.execute("BEGIN")
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
    // No page is asked for to take the locks.
    var code = step(0)
    if code == SQLITE_OK {
      do { try check() } catch {
        sqlite3_backup_finish(backup)
        throw error
      }
      code = step(portion)
      while code == SQLITE_OK, cancellation?.isCancelled != true { code = step(portion) }
      if code == SQLITE_OK {
        sqlite3_backup_finish(backup)
        throw CocoaError(.userCancelled)
      }
    }
    let finish = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, finish == SQLITE_OK else {
      throw target.error(code == SQLITE_DONE ? finish : code, sql: nil)
    }
  }

  /// Removes a store's database files, when it could not be made whole.
  static func removeFiles(of url: URL) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      do { try StoreLocation.removeFile(url.path + suffix) } catch {
        Log.storeError(error.localizedDescription)
      }
    }
  }
}

extension SQLiteConnection {
  /// Ends a transaction that read only.
  fileprivate func endReading() {
    do { try execute("COMMIT") } catch {
      // Closing the connection ends it as well.
      Log.storeError("a copy's transaction: \(error)")
    }
  }
}
