extension NSPersistentStore {
  /// The number of queries that a SQLite store has run; 0 for other stores.
  ///
  /// Tests use it to check that rows are read in groups: the number of queries depends on the number of relationships,
  /// not on the number of objects.
  package var queryCount: Int { engine.queryCount }
}
