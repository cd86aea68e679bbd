import CoreData
import StoreInspection

/// What a query of somebody's may cost: whoever types a condition does not know how many rows it has to look at.
package struct QueryLimits: Sendable {
  let time: Duration
  /// How many rows a live table has at the most.
  let rows: Int
  /// Told when a query begins, and when one has used its time up.
  private let hasBegun: @Sendable () -> Void
  private let isOver: @Sendable () -> Void

  package init(
    time: Duration = .seconds(10),
    // A live table keeps some 48 bytes for each of its rows.
    rows: Int = 5_000_000,
    hasBegun: @escaping @Sendable () -> Void = {}, isOver: @escaping @Sendable () -> Void = {}
  ) {
    self.time = time
    self.rows = rows
    self.hasBegun = hasBegun
    self.isOver = isOver
  }

  /// Carries something out that ends early where its task is cancelled, as what contexts perform interruptibly does.
  ///
  /// - Parameter begun: ends when the time begins; nil where it begins at once.
  /// - Throws: ``WebFailure`` when it took too long; what `body` throws.
  func run<Result: Sendable>(
    since begun: AsyncStream<Void>? = nil, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let limit = time
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        if let begun { for await _ in begun {} }
        try await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let result = first else { throw over() }
      return result
    }
  }

  /// Carries something out on a context's queue; it ends early where its time is used up. The time begins when it does: what
  /// others do on the queue before it is not counted.
  ///
  /// - Throws: ``WebFailure`` when it took too long; what `body` throws.
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
      // Of 408 browsers ask again by themselves.
      status: 503,
      "the query was ended after \(time.components.seconds) seconds; a narrower condition or an index helps"
    )
  }
}
