/// An engine that brings its stores to another model itself.
package protocol MigratingEngine: StoreEngine {
  /// Removes one table or column that a deferred migration left.
  ///
  /// - Returns: whether there are more.
  func removeRemains() throws -> Bool
}

/// How a store is migrated.
package struct MigrationSettings {
  /// Whether the program has given values to rows that need some.
  package var isPrepared = false
  /// Whether tables and columns that are not needed any more stay, to be removed later.
  package var defersCleaning = false
  /// Told how much is done, from 0 to 1.
  package var report: ((Double) -> Void)?
  /// Ends the migration; the store is as it was then.
  package var cancellation: Cancellation?

  package init(
    isPrepared: Bool = false, defersCleaning: Bool = false, report: ((Double) -> Void)? = nil,
    cancellation: Cancellation? = nil
  ) {
    self.isPrepared = isPrepared
    self.defersCleaning = defersCleaning
    self.report = report
    self.cancellation = cancellation
  }
}
