/// The pattern of MATCHES: an ICU regular expression that must match the whole string.
///
/// This class calls ICU directly, because Foundation's `NSRegularExpression` reports "no match" when ICU
/// gives up on a string.
///
/// May be used from any thread.
final class RegularExpression: @unchecked Sendable {
  let pattern: String
  private let diacritics: Folding?
  private let budget = MatchingBudget()
  private let lock = NSLock()
  /// Never used for matching; the engines are copies of it.
  private let original: RegularExpressionEngine
  private var idle: [RegularExpressionEngine] = []

  init(_ pattern: String, folding: Folding) throws {
    self.pattern = pattern
    // The expression handles case itself; diacritics are removed from both sides.
    diacritics = folding.ignoresDiacritics ? Folding(.diacriticInsensitive) : nil
    original = try RegularExpressionEngine(
      pattern: diacritics?.fold(pattern) ?? pattern, ignoresCase: folding.ignoresCase)
  }

  /// Returns whether the whole string matches.
  ///
  /// - Throws: An ``InvalidPredicateError`` if matching takes too long or too much memory, or if ICU cannot match the
  ///   string for another reason.
  func matches(_ text: String) throws -> Bool {
    let engine = try acquireEngine()
    // Keep the engine for the next string, which would otherwise clone the original again.
    defer { lock.withLock { idle.append(engine) } }
    let outcome = engine.match(diacritics?.fold(text) ?? text, allowing: budget.allowance)
    budget.spend(outcome.seconds)
    switch outcome.result {
    case .matches: return true
    case .differs: return false
    case .isSlow:
      throw InvalidPredicateError(
        "the pattern \"\(pattern)\" after MATCHES takes too long: \(budget.limit(metAfter: outcome.seconds)), tried on a string of \(MessageText.counted(text.count, "character"))"
      )
    case .needsManySteps:
      throw InvalidPredicateError(
        "the pattern \"\(pattern)\" after MATCHES takes too long: more than"
          + " \(RegularExpressionEngine.maximumSteps / 100) million steps for one string, tried on a string of"
          + " \(MessageText.counted(text.count, "character"))")
    case .fails(let reason):
      throw InvalidPredicateError(
        "the pattern \"\(pattern)\" after MATCHES cannot be tried on a string of \(MessageText.counted(text.count, "character")): \(reason)"
      )
    }
  }

  private func acquireEngine() throws -> RegularExpressionEngine {
    try lock.withLock { try idle.popLast() ?? original.copy() }
  }
}
