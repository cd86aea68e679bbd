import StoreEngine

extension SQLiteStore {
  /// Returns a reader of the current state of the file: a connection with an open transaction, which in WAL mode does
  /// not see later commits. Nil in other modes, where the transaction would block all writers, and for a store with
  /// only one connection.
  func snapshot() throws -> (any StoreEngine)? {
    guard !StoreLocation(url).isInMemory else { return nil }
    return try translatingErrors("read") {
      // Keeps the files of external values until the snapshot itself keeps them.
      externalUse?.pin()
      defer { externalUse?.unpin() }
      guard let connection = try pool.makeSnapshotConnection() else { return nil }
      guard try connection.text("PRAGMA journal_mode") == "wal" else { return nil }
      try connection.execute("BEGIN")
      // The transaction begins with the first read.
      _ = try connection.integer("SELECT COUNT(*) FROM sqlite_schema")
      return SQLiteStore(
        url: url, origin: origin, isReadOnly: true, schema: schema,
        pool: pool.ofSnapshot(connection), dialect: dialect, metadata: metadata, history: history,
        snapshotOf: uuidCheck)
    }
  }
}
