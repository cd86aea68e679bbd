/// The time that one pattern of MATCHES may take.
///
/// One string may take up to the limit, and all slow strings together up to five times the limit. A tenth
/// of the elapsed time is refunded, so that a few slow strings do not exhaust the budget of a pattern that
/// lives as long as a live result.
///
/// May be used from any thread.
final class MatchingBudget: @unchecked Sendable {
  private static let factor = 5.0
  private static let refund = 0.1

  private let lock = NSLock()
  private var spent: TimeInterval = 0
  private var lastSpending: UInt64 = 0

  /// The number of seconds that the next string may take.
  var allowance: TimeInterval {
    let limit = NSPredicate.matchingTimeLimit
    // The clock is read only after a slow string.
    return lock.withLock { spent == 0 ? limit : min(limit, limit * Self.factor - present) }
  }

  /// Adds the seconds that a slow string took.
  func spend(_ seconds: TimeInterval) {
    guard seconds > 0 else { return }
    lock.withLock {
      spent = present + seconds
      lastSpending = DispatchTime.now().uptimeNanoseconds
    }
  }

  /// Returns a description of the limit that a string exceeded after some seconds.
  func limit(metAfter seconds: TimeInterval) -> String {
    let limit = NSPredicate.matchingTimeLimit
    return seconds >= limit
      ? "more than \(limit) s for one string"
      : "more than \(limit * Self.factor) s for all slow strings together"
  }

  /// The time spent, less the refund for the elapsed time.
  private var present: TimeInterval {
    let passed = TimeInterval(DispatchTime.now().uptimeNanoseconds &- lastSpending) / 1e9
    return max(0, spent - Self.refund * passed)
  }
}
