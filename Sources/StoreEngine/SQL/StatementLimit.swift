/// Errors for queries that a database cannot run, whatever its data: they are too large, or contain something that
/// it cannot compute.
package enum StatementLimit {
  private static let key = "OpenCoreDataStatementLimit"

  package static func error(_ message: String, cause: (any Error)? = nil) -> NSError {
    CoreDataError.make(NSCoreDataError, message, [key: true], cause: cause)
  }

  /// Returns an error for a query that needs more joins than the database supports.
  package static func tooManyTables(
    in dialect: any SQLDialect, cause: (any Error)? = nil
  ) -> NSError {
    error(
      "the request follows too many relationships: \(dialect.databaseName) joins at most \(dialect.mostTables)"
        + " tables in a query. Use shorter key paths, or evaluate the predicate in memory with CompiledPredicate",
      cause: cause)
  }

  /// Returns an error for a query with something that the database cannot compute as evaluation in memory does.
  package static func notPushedDown(_ what: String) -> NSError {
    error(
      "the store's database cannot compute \(what). Fetch without it, and evaluate the predicate in memory with"
        + " CompiledPredicate")
  }

  /// Returns whether an error was created by this type.
  package static func isCause(of error: any Error) -> Bool {
    (error as NSError).userInfo[key] != nil
  }
}

extension Optional {
  /// Returns a construct as a dialect writes it.
  ///
  /// - Parameter what: The construct's description in the error message.
  /// - Throws: An error of ``StatementLimit`` if the value is nil, because the dialect cannot write the construct.
  package func pushedDown(_ what: @autoclosure () -> String) throws -> Wrapped {
    guard let self else { throw StatementLimit.notPushedDown(what()) }
    return self
  }
}
