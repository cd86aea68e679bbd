extension NSPersistentStoreCoordinator {
  func historyToken(of stores: [NSPersistentStore]) -> NSPersistentHistoryToken? {
    var numbers: [String: Int64] = [:]
    for store in stores {
      guard let engine = store.engine as? any HistoryEngine else { continue }
      do {
        numbers[engine.origin.identifier] = try engine.lastTransaction()
      } catch {
        // Apple's signature cannot throw, so a store that cannot be read is missing from the token.
        Log.storeError("cannot read the persistent history: \(error.localizedDescription)")
      }
    }
    return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
  }

  /// Returns whether a SQLite store has a persistent history, so that it must be opened with
  /// `NSPersistentHistoryTrackingKey` for writing. The store need not be open.
  package static func hasHistory(storeAt url: URL) throws -> Bool {
    try StoreKind.sqlite.hasHistory(url)
  }
}
