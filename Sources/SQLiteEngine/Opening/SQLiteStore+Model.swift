import Synchronization
import StoreEngine

extension SQLiteStore {
  /// Throws an error if another process has migrated the store to another model, because writes would use the wrong
  /// entities, or if another process has enabled a history that this `SQLiteStore` does not record. Called inside a
  /// transaction that is going to write.
  func requireModel(on connection: SQLiteConnection) throws {
    try requireSchema(on: connection)
    guard history?.isRecorded != true, mayHaveHistory.load(ordering: .relaxed),
      try HistorySchema.isInUse(on: connection)
    else { return }
    throw CoreDataError.make(
      NSPersistentStoreSaveError,
      "another process has enabled persistent history in the store \(url.path), and this write would be missing from"
        + " the history: open the store with NSPersistentHistoryTrackingKey", at: url.path)
  }

  private func requireSchema(on connection: SQLiteConnection) throws {
    let version = try connection.integer("PRAGMA schema_version") ?? 0
    // A migration and a new history change the schema, so usually only its version is read.
    guard version != checkedSchema.load(ordering: .relaxed) else { return }
    let key = NSStoreModelVersionHashesKey
    let present: [String: Any]
    do { present = try StoreMetadata.read(on: connection, url: url) } catch {
      // Writing to an empty or damaged store reports a better error.
      return
    }
    guard present[key] as? [String: Data] == metadata[key] as? [String: Data] else {
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleVersionHashError,
        "the store \(url.path) was migrated to another model after it was opened: open it again with that model",
        at: url.path)
    }
    mayHaveHistory.store(try HistorySchema.exists(on: connection), ordering: .relaxed)
    // Store the version last: if a query before this fails, the next transaction checks the schema
    // again.
    checkedSchema.store(version, ordering: .relaxed)
  }
}
