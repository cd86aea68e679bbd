import Foundation

/// How long one statement may run.
///
/// The triggers of a stranger's file run when it is written, and SQL alone can keep one busy for ever: a
/// table joined with itself a few times. Nothing else bounds that.
final class StatementClock {
  private let limit: UInt64
  private var start = DispatchTime.now().uptimeNanoseconds

  /// - Parameter seconds: a second at least is given to all.
  init(seconds: Double) { limit = UInt64(max(1, seconds) * 1e9) }

  /// A statement begins.
  func begin() { start = DispatchTime.now().uptimeNanoseconds }

  var isOver: Bool { DispatchTime.now().uptimeNanoseconds - start > limit }
}

extension SQLiteConnection {
  /// Bounds statements by the time for which they would wait for a lock, where the database has triggers that
  /// nobody would make for the model. What they are called does not tell.
  func boundTriggers(besides schema: StoreSchema) throws {
    let statement = try statement("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
    defer { statement.reset() }
    var present: Set<String> = []
    while try statement.step() { present.insert(statement.text(0)) }
    if present.isEmpty { return }
    let known = try SchemaBuilder(plan: StoreSchemaPlan(schema)).statements()
    if !present.isSubset(of: known) {
      clock = StatementClock(seconds: Double(busyTimeout) / 1000)
    }
  }
}
