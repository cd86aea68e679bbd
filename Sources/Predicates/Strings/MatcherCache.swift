/// Caches the prepared right side of a comparison with a constant string.
///
/// May be used from any thread.
final class MatcherCache: @unchecked Sendable {
  private let lock = NSLock()
  private var prepared: (pattern: String, matcher: StringMatcher)?

  /// Returns the matcher for a pattern, which is the cached one if the pattern is the same.
  func matcher(
    _ type: NSComparisonPredicate.Operator, options: NSComparisonPredicate.Options,
    pattern: String
  ) throws -> StringMatcher {
    if let prepared = lock.withLock({ prepared }),
      // By bytes: Swift considers composed and decomposed forms equal, for which patterns match
      // different strings.
      prepared.pattern.utf8.elementsEqual(pattern.utf8)
    {
      return prepared.matcher
    }
    // Prepared outside the lock, because a regular expression is compiled here. Of two threads, the
    // later result stays.
    let matcher = try StringMatcher(type, options: options, pattern: pattern)
    lock.withLock { prepared = (pattern, matcher) }
    return matcher
  }
}
