/// Option: a ``StatementObserver`` that is notified of every statement of a store's connections.
package let statementObserverOption = "OpenCoreData.statementObserver"

/// Receives every completed statement of a store's connections.
package final class StatementObserver: Sendable {
  package struct Statement: Sendable {
    /// The statement with the values of its parameters.
    package let sql: String
    package let seconds: Double
    /// The number of rows that it returned or wrote.
    package let rows: Int
    /// The steps of SQLite's plan.
    package let plan: [String]
  }

  private let body: @Sendable (Statement) -> Void

  /// - Parameter body: Called on the thread that ran the statement. The thread waits until it returns.
  package init(_ body: @escaping @Sendable (Statement) -> Void) { self.body = body }

  package func notify(_ statement: Statement) { body(statement) }
}
