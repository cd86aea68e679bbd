/// A string comparison with a fixed pattern, which is prepared once.
///
/// The store and the evaluation in memory both compare strings with this type, so that they agree. Without options,
/// strings are compared by code point, like SQLite's BINARY collation. With `[c]` and `[d]` both are folded first, as
/// Foundation folds them without a locale or, with `[l]`, by the rules of the user's locale.
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
  /// The operators are `==`, `!=`, `<`, `<=`, `>`, `>=`, CONTAINS, BEGINSWITH, ENDSWITH, LIKE and MATCHES.
  ///
  /// - Throws: An ``InvalidPredicateError`` for another operator, or if the pattern of MATCHES is not a
  ///   valid regular expression.
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
      // Fold the pattern before splitting it, so that one folding applies to the whole pattern, as
      // it does to the text.
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

  /// Returns whether the comparison is true for a string.
  ///
  /// No string contains, begins with or ends with the empty string.
  ///
  /// - Throws: An ``InvalidPredicateError`` if a pattern of MATCHES takes too long
  ///   (``Foundation/NSPredicate/matchingTimeLimit``), needs too much memory, or cannot be matched with the string. No
  ///   other operator throws.
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

  /// Returns the UTF-8 bytes that `==` with options compares: two strings are equal if these bytes are.
  package static func folded(
    _ text: String, options: NSComparisonPredicate.Options
  ) -> [UInt8] { Folding(options).bytes(of: text) }

  /// Returns the order of two strings.
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
