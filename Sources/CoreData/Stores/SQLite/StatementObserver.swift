import Synchronization

/// Option: is told of every statement that a store's connections run, a ``StatementObserver``.
package let statementObserverOption = "OpenCoreData.statementObserver"

/// Is told of every statement of a store's connections, when it is done.
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

  /// How many statements' plans are kept.
  private static let keptPlans = 500

  private let body: @Sendable (Statement) -> Void
  /// Making a plan takes as long as a short statement, and a program runs the same ones again and again.
  private let plans = Mutex<[String: [String]]>([:])

  /// - Parameter body: called by whichever thread ran the statement, which waits for it.
  package init(_ body: @escaping @Sendable (Statement) -> Void) { self.body = body }

  /// - Parameters:
  ///   - statement: the text with its parameters open.
  ///   - text: the text with their values.
  func tell(
    _ statement: String, _ text: String, seconds: Double, rows: Int, plan: () -> [String]
  ) {
    let known = plans.withLock { $0[statement] }
    let steps = known ?? plan()
    if known == nil {
      plans.withLock { plans in
        if plans.count >= Self.keptPlans { plans.removeAll() }
        plans[statement] = steps
      }
    }
    body(Statement(sql: text, seconds: seconds, rows: rows, plan: steps))
  }
}
