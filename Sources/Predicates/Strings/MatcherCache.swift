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
      // Compares bytes: Swift considers composed and decomposed forms equal, but as patterns they match
      // different strings.
      prepared.pattern.utf8.elementsEqual(pattern.utf8)
    {
      return prepared.matcher
    }
    // Prepared outside the lock, because compiling a regular expression may be slow. If two threads do this at once,
    // the later matcher stays in the cache.
    let matcher = try StringMatcher(type, options: options, pattern: pattern)
    lock.withLock { prepared = (pattern, matcher) }
    return matcher
  }
}
