import Synchronization

extension NSPersistentStore {
  /// How many queries a SQLite store has run; 0 for others.
  package var queryCount: Int {
    (engine as? SQLiteStore)?.queryCount.load(ordering: .relaxed) ?? 0
  }
}
