extension NSPersistentStoreCoordinator {
  func historyToken(of stores: [NSPersistentStore]) -> NSPersistentHistoryToken? {
    var numbers: [String: Int64] = [:]
    for store in stores {
      guard let engine = store.engine as? any HistoryEngine else { continue }
      do {
        numbers[engine.origin.identifier] = try engine.lastTransaction()
      } catch {
        Log.storeError("the history cannot be read: \(error.localizedDescription)")
      }
    }
    return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
  }

  /// Whether a SQLite store that need not be open has a persistent history, and so is to be written with
  /// `NSPersistentHistoryTrackingKey`.
  package static func hasHistory(storeAt url: URL) throws -> Bool {
    try StoreKind.sqlite.hasHistory(url)
  }
}
