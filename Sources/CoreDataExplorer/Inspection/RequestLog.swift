import CoreData
import Foundation
import Synchronization

/// The last statements that the store executed, with their times and plans.
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

  /// The maximum number of entries that a page receives. Up to twice as many are kept.
  private static let kept = 500
  /// The length to which statements are shortened, because a statement can contain a large value.
  private static let shownLength = 8_000

  private struct State {
    var entries: [Entry] = []
    var count = 0
    /// The number of rows of all statements.
    var rows = 0
  }

  /// Identifies the log. The log of a restarted explorer numbers its entries from 1 again.
  let id = UUID().uuidString
  private let state = Mutex(State())
  private let news = Broadcast()

  /// The observer to pass to the store when it is opened.
  var observer: StatementObserver {
    StatementObserver { [weak self] in self?.note($0) }
  }

  private func note(_ statement: StatementObserver.Statement) {
    state.withLock { state in
      state.count += 1
      state.rows += statement.rows
      let entry = Entry(
        n: state.count, time: statement.seconds * 1_000, rows: statement.rows,
        sql: statement.sql.shortened(to: Self.shownLength),
        plan: statement.plan.map { Step(depth: 0, text: $0) })
      state.entries.append(entry)
      // Removing entries moves all others, so this is not done for each new entry.
      if state.entries.count > Self.kept * 2 { state.entries.removeFirst(Self.kept) }
      // This runs for every statement, so nothing is encoded without a subscriber.
      guard news.count > 0, let event = try? EventText.event("request", id: entry.n, entry) else {
        return
      }
      // Send inside the lock, because the page ignores an entry that arrives after a later one.
      news.send(event)
    }
  }

  /// The number of statements so far, and the number of their rows.
  var figures: (requests: Int, rows: Int) { state.withLock { ($0.count, $0.rows) } }

  /// Returns the last entries after a number.
  func entries(after number: Int) -> [Entry] {
    state.withLock { Array($0.entries.filter { $0.n > number }.suffix(Self.kept)) }
  }

  /// Returns a stream of future entries, after a `hello` event with the log's ID.
  ///
  /// - Parameter others: Broadcasts whose events are included in the stream.
  func events(with others: [Broadcast]) -> Broadcast.Stream {
    let greeting = try? EventText.event("hello", ["log": id])
    return news.stream(first: [greeting ?? EventText.event("hello")], with: others)
  }

  func finish() { news.finish() }
}
