import Foundation

/// The pattern of MATCHES: a regular expression of ICU that must match the whole string.
struct RegularExpression: Sendable {
  private let expression: NSRegularExpression
  private let diacritics: Folding?

  init(_ pattern: String, folding: Folding) throws {
    // Case is the expression's own business; accents are taken off both sides.
    diacritics = folding.ignoresDiacritics ? Folding(.diacriticInsensitive) : nil
    let prepared = diacritics?.fold(pattern) ?? pattern
    do {
      expression = try NSRegularExpression(
        pattern: "\\A(?:\(prepared))\\z",
        options: folding.ignoresCase ? .caseInsensitive : [])
    } catch {
      throw InvalidPredicateError("\"\(pattern)\" after MATCHES is not a regular expression")
    }
  }

  func matches(_ text: String) -> Bool {
    let prepared = diacritics?.fold(text) ?? text
    let range = NSRange(location: 0, length: prepared.utf16.count)
    return expression.firstMatch(in: prepared, range: range) != nil
  }
}
