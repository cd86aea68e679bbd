import CoreData
import Synchronization

/// The statements that the store was asked, the last ones with their times and plans.
final class RequestLog: Sendable {
  struct Step: Encodable, Equatable {
    let depth: Int
    let text: String
  }

  struct Entry: Encodable {
    /// Counted from 1.
    let n: Int
    /// Milliseconds.
    let time: Double
    let rows: Int
    let sql: String
    let plan: [Step]
  }

  /// How many are kept.
  private static let kept = 500
  /// How much of a statement is shown: one with a large value in it is as long as the value.
  private static let shownLength = 8_000

  private struct State {
    var entries: [Entry] = []
    var count = 0
    /// How many rows all of them had.
    var rows = 0
  }

  private let state = Mutex(State())
  private let news = Broadcast()

  /// Is to be given to the store when it is opened.
  var observer: StatementObserver {
    StatementObserver { [weak self] in self?.note($0) }
  }

  private func note(_ statement: StatementObserver.Statement) {
    let entry = state.withLock { state in
      state.count += 1
      state.rows += statement.rows
      let entry = Entry(
        n: state.count, time: statement.seconds * 1_000, rows: statement.rows,
        sql: statement.sql.shortened(to: Self.shownLength),
        plan: statement.plan.map { Step(depth: 0, text: $0) })
      state.entries.append(entry)
      // Not for each: moving all of them costs.
      if state.entries.count > Self.kept * 2 { state.entries.removeFirst(Self.kept) }
      return entry
    }
    guard news.count > 0, let event = try? EventText.event("request", id: entry.n, entry) else {
      return
    }
    news.send(event)
  }

  /// How many there were, and how many rows they had.
  var figures: (requests: Int, rows: Int) { state.withLock { ($0.count, $0.rows) } }

  /// Those after a number, the last ones.
  func entries(after number: Int) -> [Entry] {
    state.withLock { Array($0.entries.filter { $0.n > number }.suffix(Self.kept)) }
  }

  /// What comes from now on.
  ///
  /// - Parameter others: whose events the reader gets, too.
  func events(with others: [Broadcast]) -> Broadcast.Stream {
    news.stream(first: [EventText.event("hello")], with: others)
  }

  func finish() { news.finish() }
}
