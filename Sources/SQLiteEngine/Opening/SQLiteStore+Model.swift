import Synchronization
import StoreEngine

extension SQLiteStore {
  /// Throws where the store is of another model by now: another process has migrated it, and what is written
  /// here would be of other entities; and where it has a history by now that this one does not record. Inside
  /// a transaction that is going to write.
  ///
  /// Both change the schema, so mostly one number is read.
  func requireModel(on connection: SQLiteConnection) throws {
    try requireSchema(on: connection)
    guard history?.isRecorded != true, mayHaveHistory.load(ordering: .relaxed),
      try HistorySchema.isInUse(on: connection)
    else { return }
    throw CoreDataError.make(
      NSPersistentStoreSaveError,
      "the store \(url.path) has a persistent history since it was opened, which would get a gap: open it"
        + " with NSPersistentHistoryTrackingKey", at: url.path)
  }

  private func requireSchema(on connection: SQLiteConnection) throws {
    let version = try connection.integer("PRAGMA schema_version") ?? 0
    guard version != checkedSchema.load(ordering: .relaxed) else { return }
    let key = NSStoreModelVersionHashesKey
    let present: [String: Any]
    do { present = try StoreMetadata.read(on: connection, url: url) } catch {
      // A store that was emptied or damaged is told by who writes to it.
      return
    }
    guard present[key] as? [String: Data] == metadata[key] as? [String: Data] else {
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleVersionHashError,
        "the store \(url.path) was migrated to another model since it was opened: open it with that",
        at: url.path)
    }
    mayHaveHistory.store(try HistorySchema.exists(on: connection), ordering: .relaxed)
    checkedSchema.store(version, ordering: .relaxed)
  }
}
