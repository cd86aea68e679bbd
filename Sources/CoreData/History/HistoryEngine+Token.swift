extension HistoryEngine {
  /// The place in the history where the store is now; nil for a store without history.
  func historyToken() throws -> NSPersistentHistoryToken? {
    try lastTransaction().map { NSPersistentHistoryToken([origin.identifier: $0]) }
  }
}
