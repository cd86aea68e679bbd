extension HistoryEngine {
  /// Returns the current position in the store's history; nil for a store without history.
  func historyToken() throws -> NSPersistentHistoryToken? {
    try lastTransaction().map { NSPersistentHistoryToken([origin.identifier: $0]) }
  }
}
