/// The ways in which sort descriptors order strings; the raw value is the selector that asks for
/// it.
///
/// Each gives every string bytes of its own that come in its order. The store sorts by these, so that SQLite sorts as
/// memory does.
package enum StringComparison: String, CaseIterable, Sendable {
  /// By code points, as SQLite's own BINARY.
  case literal = "compare:"
  /// By code points after folding the case.
  case caseInsensitive = "caseInsensitiveCompare:"
  /// By the collation of the user's locale.
  case localized = "localizedCompare:"
  /// By the collation of the user's locale without regard to case.
  case localizedCaseInsensitive = "localizedCaseInsensitiveCompare:"
  /// As file managers list names: by the locale, without regard to case, numbers by their amount; what is
  /// still the same by the locale with regard to case, then by code points.
  case localizedStandard = "localizedStandardCompare:"

  // Foundation's own comparisons with the options of the last two are no orders: there are strings of which each comes
  // before the other.
  private var collation: LocaleCollation? {
    switch self {
    case .literal, .caseInsensitive: nil
    case .localized: .localized
    case .localizedCaseInsensitive: .caseInsensitive
    case .localizedStandard: .standard
    }
  }

  /// The order of two strings; two are the same only where no further comparison of this kind
  /// tells them apart.
  package func compare(_ left: String, _ right: String) -> ComparisonResult {
    if let collation { return collation.compare(left, right) }
    return StringMatcher.compare(
      left, right, options: self == .caseInsensitive ? .caseInsensitive : [])
  }

  /// What the orders by locale depend on: their bytes may be kept for as long as this stays the same.
  package static var localizedVersion: String { LocaleCollation.standard.version }

  /// Runs a step on the bytes that order a text in UTF-8, which are those of no other comparison.
  package func withBytes<Result>(
    of text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    if let collation { return try collation.withKey(of: text, body) }
    if self == .literal { return try body(text) }
    return try Folding(.caseInsensitive)
      .withBytes(of: String(decoding: text, as: UTF8.self), body)
  }
}
