extension NSFetchedResultsController {
  /// How the stores would answer `performFetch`: the statement of each store that keeps the
  /// entity, its parameters and the database's plan. Nothing is fetched.
  ///
  /// A controller keeps the order of all rows, so the request's limit and offset are not part of
  /// the statement.
  ///
  /// Compared to Apple's Core Data: new.
  ///
  /// - Throws: As `performFetch` does for a mistake in the request; the store's errors.
  public func explain() throws -> [FetchExplanation] {
    let results = try liveResults()
    return try managedObjectContext.explanations(results.read, of: results.stores)
  }
}
