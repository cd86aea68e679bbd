extension NSPersistentStoreCoordinator {
  /// Verifies a SQLite store completely. Checks the integrity of the database file, the metadata and the copy of the
  /// model; the tables and columns of the model; the keys, entities and versions of rows; the types of values, and
  /// required, unique and derived values; for each relationship whether its destination exists and both sides agree;
  /// the positions in ordered relationships; the next primary keys; the indexes; the files of externally stored values;
  /// and the persistent history. Also reports code of other programs in the file, such as triggers.
  ///
  /// The store may be open in this and other processes; the check reads a single consistent state. Reads each row,
  /// some more than once, so a store of a million rows takes seconds.
  ///
  /// With `repairing`, makes each repair that is the only possible one and loses no data. Sets dangling references to
  /// nil if the relationship is optional and removes dangling pairs of join tables, corrects entity columns, one-sided
  /// inverses, positions, derived values, invalid versions and key counters, rebuilds indexes, and removes files that
  /// no row refers to and that are more than a day old. Before the first repair, copies the store to a backup next to
  /// it (`StoreVerification.backup`). All repairs of rows are in one transaction, which also increments the versions of
  /// rows with changed values, so that contexts that hold these rows get a conflict instead of a silent change. A store
  /// that can only be read is not repaired: a table, a column, the number of an entity or the version hashes are
  /// missing, or the metadata is damaged or does not match the copy of the model.
  ///
  /// Compared to Apple's Core Data: new.
  ///
  /// - Parameters:
  ///   - url: The file of the store.
  ///   - model: The store's model; nil to use the copy in the store or, if there is none, a model inferred from the
  ///     store's tables.
  ///   - repairing: Whether to repair the store.
  /// - Throws: If the URL is that of a store in memory, if the file does not exist, is not a store of the model, or
  ///   cannot be read, and with `repairing` also if it cannot be written or copied. In these cases the store is
  ///   unchanged.
  ///
  /// ```swift
  /// let verification = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
  /// for finding in verification.findings { print(finding) }
  /// ```
  public class func verifyPersistentStore(
    at url: URL, model: NSManagedObjectModel? = nil, repairing: Bool = false
  ) throws -> StoreVerification {
    guard !StoreLocation(url).isInMemory else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "a store in memory has no file: \(url.path)", at: url.path)
    }
    return try StoreKind.sqlite.verify(url, model, repairing: repairing, .ofRequest)
  }
}
