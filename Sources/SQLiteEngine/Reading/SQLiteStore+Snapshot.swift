import StoreEngine

extension SQLiteStore {
  /// A reader of the file as it is now: a connection with an open transaction, which in WAL mode
  /// goes on seeing what was committed before it. Nil in other modes, where it would keep everybody
  /// from writing.
  func snapshot() throws -> (any StoreEngine)? {
    guard !StoreLocation(url).isInMemory else { return nil }
    return try translatingErrors("read") {
      // Until the snapshot keeps them itself.
      externalUse?.pin()
      defer { externalUse?.unpin() }
      guard let connection = try pool.makeSnapshotConnection() else { return nil }
      guard try connection.text("PRAGMA journal_mode") == "wal" else { return nil }
      try connection.execute("BEGIN")
      // The snapshot is taken by the first read.
      _ = try connection.integer("SELECT COUNT(*) FROM sqlite_schema")
      return SQLiteStore(
        url: url, origin: origin, isReadOnly: true, schema: schema,
        pool: pool.ofSnapshot(connection), metadata: metadata, history: history,
        snapshotOf: uuidCheck)
    }
  }
}
