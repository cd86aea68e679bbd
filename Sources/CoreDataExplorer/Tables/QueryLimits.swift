import CoreData
import StoreInspection

/// Limits for users' queries. Users cannot know how many rows the store has to examine for a condition.
package struct QueryLimits: Sendable {
  let time: Duration
  /// The maximum number of rows of a live table.
  let rows: Int
  /// For tests: called when a query begins, and when a query exceeds its time.
  private let hasBegun: @Sendable () -> Void
  private let isOver: @Sendable () -> Void

  package init(
    time: Duration = .seconds(10),
    // A live table uses about 48 bytes per row.
    rows: Int = 5_000_000,
    hasBegun: @escaping @Sendable () -> Void = {}, isOver: @escaping @Sendable () -> Void = {}
  ) {
    self.time = time
    self.rows = rows
    self.hasBegun = hasBegun
    self.isOver = isOver
  }

  /// Runs a function with a time limit. The function must end early when its task is cancelled, as
  /// `performInterruptibly` does.
  ///
  /// - Parameter begun: A stream that ends when the time begins; nil to begin immediately.
  /// - Throws: ``WebFailure`` if the time was exceeded; errors of `body`.
  func run<Result: Sendable>(
    since begun: AsyncStream<Void>? = nil, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let limit = time
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        // The stream ends when the function begins, because waiting for the queue does not count.
        if let begun { for await _ in begun {} }
        try await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let result = first else { throw over() }
      return result
    }
  }

  /// Runs a function on a context's queue with a time limit. The time begins when the function does, so it does not
  /// include other work on the queue.
  ///
  /// - Throws: ``WebFailure`` if the time was exceeded; errors of `body`.
  func run<Result: Sendable>(
    in context: NSManagedObjectContext, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let hasBegun = hasBegun
    let (begun, begin) = AsyncStream<Void>.makeStream()
    return try await run(since: begun) {
      try await context.performInterruptibly {
        begin.finish()
        hasBegun()
        return try body()
      }
    }
  }

  private func over() -> WebFailure {
    isOver()
    return WebFailure(
      // Browsers repeat requests that are answered with 408.
      status: 503,
      "the query was stopped after \(CountText.counted(Int(time.components.seconds), "second")); use a narrower"
        + " condition or an index", isStopped: true)
  }
}
