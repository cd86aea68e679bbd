/// Queries that a database does not run, whatever the data is: they are too large, or ask for what it cannot compute.
package enum StatementLimit {
  private static let key = "OpenCoreDataStatementLimit"

  package static func error(_ message: String, cause: (any Error)? = nil) -> NSError {
    CoreDataError.make(NSCoreDataError, message, [key: true], cause: cause)
  }

  /// A query for which the database would have to join more tables than it can.
  package static func tooManyTables(_ most: Int, cause: (any Error)? = nil) -> NSError {
    error(
      "the request follows too many relationships: SQLite joins at most \(most) tables in a query. Use shorter key"
        + " paths, or try the predicate in memory with CompiledPredicate", cause: cause)
  }

  /// A query with something that the database does not compute as memory does.
  package static func notPushedDown(_ what: String) -> NSError {
    error(
      "the store's database cannot compute \(what). Fetch without it, and try the predicate in memory with"
        + " CompiledPredicate")
  }

  /// Whether an error is of such a query.
  package static func isCause(of error: any Error) -> Bool {
    (error as NSError).userInfo[key] != nil
  }
}

extension Optional {
  /// Returns a construct as a dialect writes it.
  ///
  /// - Parameter what: the construct, for the message.
  /// - Throws: an error of this kind for nil: the dialect cannot write it.
  package func pushedDown(_ what: @autoclosure () -> String) throws -> Wrapped {
    guard let self else { throw StatementLimit.notPushedDown(what()) }
    return self
  }
}
