/// One comparison of strings with a pattern that stays the same, prepared once.
///
/// The store and the evaluation in memory both compare strings with this, so that they agree.
/// Without options two strings are compared by their code points, as SQLite's BINARY collation
/// compares them. With `[c]` and `[d]` both are folded first, as Foundation folds them without a
/// locale; with `[l]` by the rules of the user's locale.
package struct StringMatcher: Sendable {
  private let operation: Operation
  let folding: Folding

  private enum Operation: Sendable {
    case compare(Set<Int>, pattern: [UInt8])
    case prefix([UInt8])
    case suffix([UInt8])
    case infix([UInt8])
    case glob(Glob)
    case expression(RegularExpression)
  }

  /// Prepares a comparison.
  ///
  /// The operators are `==`, `!=`, the four orders, CONTAINS, BEGINSWITH, ENDSWITH, LIKE and
  /// MATCHES.
  ///
  /// - Throws: a ``InvalidPredicateError`` for another operator, or for a pattern of MATCHES that is not
  ///   a regular expression.
  package init(
    _ operator: NSComparisonPredicate.Operator, options: NSComparisonPredicate.Options,
    pattern: String
  ) throws {
    folding = Folding(options)
    switch `operator` {
    case .matches:
      operation = .expression(try RegularExpression(pattern, folding: folding))
      return
    case .like:
      operation = .glob(Glob(folding.fold(pattern)))
      return
    default: break
    }
    let pattern = folding.bytes(of: pattern)
    switch `operator` {
    case .equalTo: operation = .compare([0], pattern: pattern)
    case .notEqualTo: operation = .compare([-1, 1], pattern: pattern)
    case .lessThan: operation = .compare([-1], pattern: pattern)
    case .lessThanOrEqualTo: operation = .compare([-1, 0], pattern: pattern)
    case .greaterThan: operation = .compare([1], pattern: pattern)
    case .greaterThanOrEqualTo: operation = .compare([0, 1], pattern: pattern)
    case .contains: operation = .infix(pattern)
    case .beginsWith: operation = .prefix(pattern)
    case .endsWith: operation = .suffix(pattern)
    default:
      throw InvalidPredicateError("\(`operator`.spelling) is not a comparison of strings")
    }
  }

  /// Whether a string fulfils the comparison.
  ///
  /// The empty string is found in no other, at its beginning and end neither.
  ///
  /// - Throws: an ``InvalidPredicateError`` where a pattern of MATCHES takes longer than
  ///   ``Foundation/NSPredicate/matchingTimeLimit`` or needs too much memory. No other operator
  ///   throws.
  package func matches(_ text: String) throws -> Bool {
    switch operation {
    case .expression(let expression): return try expression.matches(text)
    case .glob(let glob): return glob.matches(folding.fold(text))
    case .compare(let results, let pattern):
      return folding.withBytes(of: text) { results.contains(ByteSearch.compare($0, pattern)) }
    case .prefix(let pattern):
      return folding.withBytes(of: text) { !pattern.isEmpty && $0.starts(with: pattern) }
    case .suffix(let pattern):
      return folding.withBytes(of: text) {
        !pattern.isEmpty && $0.count >= pattern.count
          && $0.suffix(pattern.count).elementsEqual(pattern)
      }
    case .infix(let pattern):
      return folding.withBytes(of: text) { ByteSearch.contains($0, pattern) }
    }
  }

  /// A string as `==` with options sees it, in UTF-8: two are equal whose bytes are.
  package static func folded(
    _ text: String, options: NSComparisonPredicate.Options
  ) -> [UInt8] { Folding(options).bytes(of: text) }

  /// The order of two strings.
  package static func compare(
    _ left: String, _ right: String, options: NSComparisonPredicate.Options
  ) -> ComparisonResult {
    let folding = Folding(options)
    return folding.withBytes(of: left) { left in
      folding.withBytes(of: right) { right in
        ComparisonResult(rawValue: ByteSearch.compare(left, right)) ?? .orderedSame
      }
    }
  }
}
