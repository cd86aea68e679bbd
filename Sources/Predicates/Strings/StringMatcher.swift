/// A string comparison with a fixed pattern, which is prepared once.
///
/// The store and the evaluation in memory both compare strings with this type, so that they agree.
/// Without options, strings are compared by code point, like SQLite's BINARY collation. With `[c]` and
/// `[d]` both are folded first, as Foundation folds them without a locale; with `[l]`, by the rules of
/// the user's locale. With `[l]`, equality and order are those of the locale's collation
/// (``LocaleCollation``), as in a sort by `localizedCompare:`.
package struct StringMatcher: Sendable {
  private let operation: Operation
  let folding: Folding

  private enum Operation: Sendable {
    case compare(Set<Int>, pattern: [UInt8])
    case collate(Set<Int>, LocaleCollation, pattern: String)
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
    if let results = Self.results(`operator`) {
      if let collation = LocaleCollation.of(options) {
        operation = .collate(results, collation, pattern: pattern)
      } else {
        operation = .compare(results, pattern: folding.bytes(of: pattern))
      }
      return
    }
    let pattern = folding.bytes(of: pattern)
    switch `operator` {
    case .contains: operation = .infix(pattern)
    case .beginsWith: operation = .prefix(pattern)
    case .endsWith: operation = .suffix(pattern)
    default:
      throw InvalidPredicateError("\(`operator`.spelling) is not a comparison of strings")
    }
  }

  /// Returns the orders of a string and the pattern for which an operator is true; nil if it does not depend on their
  /// order.
  private static func results(_ operator: NSComparisonPredicate.Operator) -> Set<Int>? {
    switch `operator` {
    case .equalTo: [0]
    case .notEqualTo: [-1, 1]
    case .lessThan: [-1]
    case .lessThanOrEqualTo: [-1, 0]
    case .greaterThan: [1]
    case .greaterThanOrEqualTo: [0, 1]
    default: nil
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
    case .collate(let results, let collation, let pattern):
      return results.contains(collation.compare(text, pattern).rawValue)
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

  /// Returns the bytes that `==` with options compares: the folded string in UTF-8, or with `[l]` its sort key. Two
  /// strings are equal if these bytes are.
  package static func folded(
    _ text: String, options: NSComparisonPredicate.Options
  ) -> [UInt8] {
    guard let collation = LocaleCollation.of(options) else {
      return Folding(options).bytes(of: text)
    }
    var text = text
    return text.withUTF8 { collation.withKey(of: $0) { Array($0) } }
  }

  /// Returns the order of two strings.
  package static func compare(
    _ left: String, _ right: String, options: NSComparisonPredicate.Options
  ) -> ComparisonResult {
    if let collation = LocaleCollation.of(options) { return collation.compare(left, right) }
    return compare(left, right, Folding(options))
  }

  /// Returns the order of the bytes of two folded strings.
  static func compare(
    _ left: String, _ right: String, _ folding: Folding
  ) -> ComparisonResult {
    folding.withBytes(of: left) { left in
      folding.withBytes(of: right) { right in
        ComparisonResult(rawValue: ByteSearch.compare(left, right)) ?? .orderedSame
      }
    }
  }
}
