/// The string comparisons of sort descriptors; the raw value is the selector.
///
/// Each comparison maps strings to sort keys. Sort keys, compared byte by byte, have the same order as their strings.
/// The store sorts by these keys, so that SQLite returns the same order as sorting in memory.
package enum StringComparison: String, CaseIterable, Sendable {
  /// By code point, like SQLite's BINARY.
  case literal = "compare:"
  /// By code point after case folding.
  case caseInsensitive = "caseInsensitiveCompare:"
  /// By the collation of the user's locale.
  case localized = "localizedCompare:"
  /// By the collation of the user's locale, ignoring case.
  case localizedCaseInsensitive = "localizedCaseInsensitiveCompare:"
  /// As file managers list names: by the locale, ignoring case, with numbers by value. Strings that are still equal
  /// are compared by the locale with case, then by code point.
  case localizedStandard = "localizedStandardCompare:"

  // Foundation's own comparisons with the options of `localizedCaseInsensitive` and `localizedStandard` are
  // inconsistent: for some pairs of strings, each one comes before the other.
  private var collation: LocaleCollation? {
    switch self {
    case .literal, .caseInsensitive: nil
    case .localized: .localized
    case .localizedCaseInsensitive: .caseInsensitive
    case .localizedStandard: .standard
    }
  }

  /// Returns the order of two strings. Strings that compare as equal may differ, for example in case if the comparison
  /// ignores case.
  package func compare(_ left: String, _ right: String) -> ComparisonResult {
    if let collation { return collation.compare(left, right) }
    return StringMatcher.compare(
      left, right, options: self == .caseInsensitive ? .caseInsensitive : [])
  }

  /// The version of the localized orders. Their sort keys may be stored for as long as it stays the same.
  package static var localizedVersion: String { LocaleCollation.standard.version }

  /// Calls a closure with the sort key of a UTF-8 text. Only keys of the same comparison can be compared.
  package func withBytes<Result>(
    of text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    if let collation { return try collation.withKey(of: text, body) }
    if self == .literal { return try body(text) }
    return try Folding(.caseInsensitive)
      .withBytes(of: String(decoding: text, as: UTF8.self), body)
  }
}
