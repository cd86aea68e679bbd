package import Foundation

/// The ways in which sort descriptors order strings; the raw value is the selector that asks for
/// it.
///
/// The store registers each as a collation, so that SQLite sorts as memory does.
package enum StringComparison: String, CaseIterable, Sendable {
  /// By code points, as SQLite's own BINARY.
  case literal = "compare:"
  /// By code points after folding the case.
  case caseInsensitive = "caseInsensitiveCompare:"
  /// By the collation of the user's locale.
  case localized = "localizedCompare:"
  /// By the collation of the user's locale without regard to case.
  case localizedCaseInsensitive = "localizedCaseInsensitiveCompare:"
  /// As file managers list names: by the locale, without regard to case, numbers by their amount.
  case localizedStandard = "localizedStandardCompare:"

  private static let caseFolding = Folding([.caseInsensitive, .localeSensitive])

  /// The order of two strings; two are the same only where no further comparison of this kind
  /// tells them apart.
  package func compare(_ left: String, _ right: String) -> ComparisonResult {
    switch self {
    case .literal:
      StringMatcher.compare(left, right, options: [])
    case .caseInsensitive:
      StringMatcher.compare(left, right, options: .caseInsensitive)
    case .localized:
      left.compare(right, options: [], range: nil, locale: .current)
    case .localizedCaseInsensitive:
      // Foundation's own comparison with this option is no order: there are strings of which each
      // comes before the other.
      Self.localized.compare(Self.caseFolding.fold(left), Self.caseFolding.fold(right))
    case .localizedStandard: NaturalOrder.compare(left, right)
    }
  }

  /// Whether strings come in the order of bytes that each has for itself.
  package var isBytewise: Bool { self == .literal || self == .caseInsensitive }

  /// Runs a step on the bytes that order a string, for a comparison that is bytewise.
  package func withBytes<Result>(
    of text: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    try Folding(self == .caseInsensitive ? .caseInsensitive : []).withBytes(of: text, body)
  }
}
