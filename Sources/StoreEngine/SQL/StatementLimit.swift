package import Foundation

/// Queries that a database does not run, whatever the data is: they are too large.
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

  /// Whether an error is of such a query.
  package static func isCause(of error: any Error) -> Bool {
    (error as NSError).userInfo[key] != nil
  }
}
