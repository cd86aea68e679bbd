import Synchronization

extension NSPredicate {
  /// The number of seconds that MATCHES may take for one string. The default is 1.
  ///
  /// A regular expression such as `(a+)+b` can take practically forever. If a string takes longer than this
  /// limit, or the slow strings of one pattern together take longer than five times this limit, evaluating
  /// the predicate or fetching with it throws an ``InvalidPredicateError`` that identifies the pattern and the limit.
  /// Set `.infinity` for no time limit.
  ///
  /// Whatever the limit is, evaluation also throws this error if a string does not match and ICU needed 29 million
  /// steps or more to find out, because the result is then unreliable.
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
