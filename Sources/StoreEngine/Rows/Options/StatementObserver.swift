/// Option: is notified of every statement that a store's connections run, a ``StatementObserver``.
package let statementObserverOption = "OpenCoreData.statementObserver"

/// Is notified of every statement of a store's connections, when it is done.
package final class StatementObserver: Sendable {
  package struct Statement: Sendable {
    /// With the values that were bound.
    package let sql: String
    package let seconds: Double
    /// How many rows it gave, or wrote.
    package let rows: Int
    /// SQLite's plan, a step a line.
    package let plan: [String]
  }

  private let body: @Sendable (Statement) -> Void

  /// - Parameter body: called by whichever thread ran the statement, which waits for it.
  package init(_ body: @escaping @Sendable (Statement) -> Void) { self.body = body }

  package func notify(_ statement: Statement) { body(statement) }
}
