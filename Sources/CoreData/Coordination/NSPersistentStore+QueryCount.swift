extension NSPersistentStore {
  /// How many queries a SQLite store has run; 0 for others.
  ///
  /// Tests use it to check that reading together works: that the number of queries depends on the number of
  /// relationships, not on the number of objects.
  package var queryCount: Int { engine.queryCount }
}
