import Synchronization

extension NSPredicate {
  /// The number of seconds that MATCHES may take for one string. The default is 1.
  ///
  /// A regular expression such as `(a+)+b` can take practically forever. The evaluation fails if a string takes longer
  /// than this limit, or if the slow strings of one pattern together take longer than five times this limit. Then
  /// ``evaluated(with:)`` throws an ``InvalidPredicateError``, a fetch throws an error, and `evaluate(with:)` logs the
  /// error and returns false. The error identifies the pattern and the limit. Set `.infinity` for no time limit; NaN
  /// sets the default.
  ///
  /// Whatever the limit is, the evaluation also fails if a string does not match and ICU needed 29 million steps or
  /// more to find out, because the result is then unreliable.
  ///
  /// May be read and set from any thread. A match in progress keeps the old limit.
  ///
  /// Compared to Apple's Core Data: Apple's MATCHES has no limit.
  ///
  /// ```swift
  /// NSPredicate.matchingTimeLimit = 0.2  // for filters that users type
  /// ```
  public static var matchingTimeLimit: TimeInterval {
    get { timeLimit.withLock { $0 } }
    set { timeLimit.withLock { $0 = newValue.isNaN ? 1 : newValue } }
  }

  private static let timeLimit = Mutex<TimeInterval>(1)
}
