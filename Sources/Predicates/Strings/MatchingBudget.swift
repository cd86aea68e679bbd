/// The time that one pattern of MATCHES may take.
///
/// A string may take the limit, and all slow strings together five times the limit; a tenth of the
/// time that passes is given back, so that a pattern that lives as long as a live result is not
/// used up by the odd slow string.
///
/// May be used from any thread.
final class MatchingBudget: @unchecked Sendable {
  private static let factor = 5.0
  private static let refund = 0.1

  private let lock = NSLock()
  private var spent: TimeInterval = 0
  private var lastSpending: UInt64 = 0

  /// The seconds that the next string may take.
  var allowance: TimeInterval {
    let limit = NSPredicate.matchingTimeLimit
    // The clock is asked only after a slow string.
    return lock.withLock { spent == 0 ? limit : min(limit, limit * Self.factor - present) }
  }

  /// Counts the seconds that a slow string took.
  func spend(_ seconds: TimeInterval) {
    guard seconds > 0 else { return }
    lock.withLock {
      spent = present + seconds
      lastSpending = DispatchTime.now().uptimeNanoseconds
    }
  }

  /// Which limit it is that a string which took so long has met.
  func limit(metAfter seconds: TimeInterval) -> String {
    let limit = NSPredicate.matchingTimeLimit
    return seconds >= limit
      ? "more than \(limit) s for one string"
      : "more than \(limit * Self.factor) s for all slow strings together"
  }

  /// What is spent, less what passing time has given back.
  private var present: TimeInterval {
    let passed = TimeInterval(DispatchTime.now().uptimeNanoseconds &- lastSpending) / 1e9
    return max(0, spent - Self.refund * passed)
  }
}
