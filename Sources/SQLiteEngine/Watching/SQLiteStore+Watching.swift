import CSQLite
import StoreEngine

extension SQLiteStore: WatchedEngine {
  func watch(_ wake: @escaping @Sendable () -> Void) -> any EngineWatch { StoreWatch(self, wake) }
}

extension SQLiteStore: VersionedEngine {
  /// The result of polling the file.
  enum PollResult {
    /// Another thread is using the writer, or another connection has locked the file.
    case busy
    case same
    /// The file has changed, and now has this data version.
    case changed(Int64?)
  }

  /// Returns whether another connection has written to the file. Does not wait for locks.
  ///
  /// - Parameter version: The data version that the last poll returned.
  /// - Throws: If the file is missing, cannot be read, or no longer contains this store.
  func poll(since version: Int64?) throws -> PollResult {
    do {
      let result = try pool.withIdleWriter { connection, present -> PollResult in
        if present == version { return .same }
        try requireStore(on: connection)
        return .changed(present)
      }
      return result ?? .busy
    } catch let error as SQLiteError {
      // SQLite returns `SQLITE_PROTOCOL` if there is contention for the locks of a write-ahead log.
      if [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].contains(error.primaryCode) { return .busy }
      throw StoreErrors.translate(error, "read", url, code: NSPersistentStoreOperationError)
    }
  }

  /// Throws an error if the file no longer contains the store that was opened.
  private func requireStore(on connection: SQLiteConnection) throws {
    guard try Self.hasTables(connection) else { throw StoreErrors.emptied(url) }
    try uuidCheck.require(on: connection)
  }

  func versions(
    of keys: [Int64], in root: EntityLayout, _ body: (_ key: Int64, _ version: Int32) -> Void
  ) throws {
    guard !keys.isEmpty, contains(root) else { return }
    var sql = SQLText("SELECT Z_PK, Z_OPT FROM \(try schema.source(root)) WHERE Z_PK ")
    sql += Self.keyCondition(keys)
    try run(sql) { statement in
      while try statement.step() {
        body(statement.integer(0), Int32(truncatingIfNeeded: statement.integer(1)))
      }
    }
  }
}
