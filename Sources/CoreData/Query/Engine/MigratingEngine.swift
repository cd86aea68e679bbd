/// An engine that brings its stores to another model itself.
protocol MigratingEngine: StoreEngine {
  /// Removes one table or column that a deferred migration left.
  ///
  /// - Returns: whether there are more.
  func removeRemains() throws -> Bool
}
