extension NSPersistentStoreCoordinator {
  /// Removes the tables and columns that deferred lightweight migrations left in the stores, except those that
  /// something else in the file uses, such as a trigger of another program. Skips stores that can only be read.
  ///
  /// Removes each table and column in its own transaction. The time to remove a column is proportional to the number
  /// of rows in its table.
  ///
  /// - Throws: If a store cannot be written. What was removed before stays removed.
  ///
  /// ```swift
  /// description.setOption(
  ///   true as NSNumber, forKey: NSPersistentStoreDeferredLightweightMigrationOptionKey)
  /// container.loadPersistentStores { _, error in
  ///   if error == nil { try? container.persistentStoreCoordinator.finishDeferredLightweightMigration() }
  /// }
  /// ```
  public func finishDeferredLightweightMigration() throws {
    while try finishDeferredTask() {}
  }

  /// Removes one table or column that a deferred lightweight migration left; see
  /// ``finishDeferredLightweightMigration()``.
  ///
  /// - Throws: If a store cannot be written.
  public func finishDeferredLightweightMigrationTask() throws { _ = try finishDeferredTask() }

  /// - Returns: Whether more tables or columns may be left.
  private func finishDeferredTask() throws -> Bool {
    let key = NSPersistentStoreDeferredLightweightMigrationOptionKey
    for store in persistentStores {
      guard let engine = store.engine as? any MigratingEngine, !engine.isReadOnly,
        engine.metadata[key] != nil
      else { continue }
      let hasMore = try engine.removeRemains()
      // The key is removed last. If the process ends before this, the next call finds nothing to
      // remove and then removes the key.
      if !hasMore {
        var metadata = engine.metadata
        metadata[key] = nil
        engine.stageMetadata(metadata)
        try engine.saveMetadata()
      }
      return hasMore || persistentStores.contains { $0.engine.metadata[key] != nil }
    }
    return false
  }
}
