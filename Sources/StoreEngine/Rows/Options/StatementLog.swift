/// The SQL log of a store's connections, with Apple's levels: 1 logs each statement with its duration and its number of
/// rows, 2 and 3 also the values of parameters, 4 also SQLite's plan.
///
/// Source of the levels: "Core Data SQLDebug Log Levels" (blog.raymccrae.scot, 2017).
package struct StatementLog: Sendable {
  package let level: Int
  /// An observer that is also notified of each statement.
  package var observer: StatementObserver?

  package static let argument = "-com.apple.CoreData.SQLDebug"
  package static let variable = "OPENCOREDATA_SQL_DEBUG"

  /// The log level in the program's arguments and environment.
  package static let ofProcess = StatementLog(
    arguments: ProcessInfo.processInfo.arguments, environment: ProcessInfo.processInfo.environment)

  package init(level: Int) { self.level = level }

  package init(arguments: [String], environment: [String: String]) {
    var text = environment[Self.variable]
    if let place = arguments.firstIndex(of: Self.argument), place + 1 < arguments.count {
      text = arguments[place + 1]
    }
    level = text.flatMap { Int($0) } ?? 0
  }

  package var isOn: Bool { level > 0 || observer != nil }
  package var hasValues: Bool { level > 1 || observer != nil }
  package var hasPlan: Bool { level > 3 || observer != nil }

  /// Logs a completed statement.
  ///
  /// - Parameters:
  ///   - rows: The number of rows that the statement returned or wrote.
  ///   - plan: The steps of SQLite's plan.
  package func record(_ text: String, nanoseconds: UInt64, rows: Int, plan: [String] = []) {
    let seconds = Double(nanoseconds) / 1e9
    observer?.notify(
      StatementObserver.Statement(sql: text, seconds: seconds, rows: rows, plan: plan))
    guard level > 0 else { return }
    let steps = level > 3 ? plan : []
    Log.executed(
      text, seconds: seconds, rows: rows,
      plan: steps.isEmpty ? "" : "\nplan: " + steps.joined(separator: "\nplan: "))
  }

  package static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
}
