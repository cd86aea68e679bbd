import Synchronization

extension NSPredicate {
  /// The seconds that MATCHES may take for one string, 1 unless set.
  ///
  /// A regular expression such as `(a+)+b` can take longer than anybody will wait for. When a
  /// string takes longer than this, or the slow strings of one pattern together longer than five
  /// times this, evaluating the predicate throws an ``InvalidPredicateError`` that names the
  /// pattern and the limit, and so does a fetch with it. `.infinity` stands for no limit.
  ///
  /// May be read and set from any thread; what is being matched keeps the old limit.
  ///
  /// Compared to Apple's Core Data: there MATCHES has no limit.
  public static var matchingTimeLimit: TimeInterval {
    get { timeLimit.withLock { $0 } }
    set { timeLimit.withLock { $0 = newValue.isNaN ? 1 : newValue } }
  }

  private static let timeLimit = Mutex<TimeInterval>(1)
}
