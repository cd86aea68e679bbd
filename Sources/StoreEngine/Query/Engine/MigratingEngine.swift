/// An engine that migrates its stores itself.
package protocol MigratingEngine: StoreEngine {
  /// Removes a table or column that a deferred migration left behind.
  ///
  /// - Returns: Whether there are more.
  func removeRemains() throws -> Bool
}

/// The settings of a migration.
package struct MigrationSettings {
  /// Whether the program has set the values of attributes that become required.
  package var isPrepared = false
  /// Whether tables and columns that are no longer needed are removed later.
  package var defersCleaning = false
  /// Called with the completed fraction, from 0 to 1.
  package var report: ((Double) -> Void)?
  /// Cancels the migration, which leaves the store unchanged.
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
