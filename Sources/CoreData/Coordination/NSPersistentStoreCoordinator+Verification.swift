extension NSPersistentStoreCoordinator {
  /// Looks at all of a SQLite store: whether SQLite finds the file whole, each relationship leads to a
  /// row that is there and both of its sides agree, ordered members have places, the tables and columns
  /// of the model are there, the next keys are free, unique and required values are so, and the files of externally kept values are there.
  ///
  /// The store may be open, here and in other processes: it is seen as it is at one moment. Each row is
  /// read, some more than once, so a store of a million rows takes seconds.
  ///
  /// With `repairing` it mends what can be put right in one way only, without a loss: keys that lead
  /// nowhere become nil where the relationship is optional, pairs that do are removed, entity columns,
  /// one-sided inverses, places and key counters set right, indexes made anew, and files that belong
  /// to no row removed when they are a day old. A copy of the store is made beside it before
  /// (`StoreVerification.backup`), and all is done in one transaction that also counts up the
  /// versions of rows, so that contexts that have them meet a conflict and not a silent change. A store
  /// that can only be read, because a table, a column or its version hashes are gone, is not repaired.
  ///
  /// Compared to Apple's Core Data: new.
  ///
  /// - Parameter model: the store's model; nil for the copy that it carries, or what its tables say.
  /// - Throws: when there is no such file, it is no store of the model, or it cannot be read; and when
  ///   it cannot be written or copied, with `repairing`. It is then as it was.
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
    return try StoreKind.sqlite.verify(
      url.resolvingSymlinksInPath(), model, repairing: repairing, .ofRequest)
  }
}
