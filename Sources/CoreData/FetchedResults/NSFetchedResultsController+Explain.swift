extension NSFetchedResultsController {
  /// Returns how the stores would execute `performFetch()`: for each of the request's stores that contains the entity,
  /// the statement, its parameters and the database's query plan. Nothing is fetched.
  ///
  /// A controller keeps the order of all rows, so the request's limit and offset are not part of the statement.
  ///
  /// Compared to Apple's Core Data: new.
  ///
  /// - Throws: The errors that `performFetch()` throws for an invalid request; the errors of the stores;
  ///   `NSPersistentStoreUnsupportedRequestTypeError` for a custom incremental store.
  ///
  /// ```swift
  /// for explanation in try controller.explain() {
  ///   print(explanation.formattedSQL)
  ///   print(explanation.indexes)
  /// }
  /// ```
  public func explain() throws -> [FetchExplanation] {
    let results = try liveResults()
    return try managedObjectContext.explanations(results.read, of: results.stores)
  }
}
