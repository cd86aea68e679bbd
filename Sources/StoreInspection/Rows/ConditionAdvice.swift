import Foundation

/// Advice for people who know SQL. It is added to messages about conditions that cannot be parsed.
struct ConditionAdvice {
  /// Text to append to the message.
  let text: String
  /// A replacement for the text at the location of the error; nil if no single word there can be replaced.
  var replacement: String?

  /// Finds advice about a condition that cannot be parsed. Returns nil if no advice applies.
  ///
  /// - Parameter position: The number of characters before the error.
  init?(in condition: String, at position: Int?) {
    // Words inside quotes are not operators.
    let visible = ConditionText.withoutTexts(condition)
    if let null = visible.firstMatch(of: /\bIS\s+(NOT\s+)?NULL\b/.ignoresCase()) {
      text =
        null.1 == nil ? "write == nil instead of IS NULL" : "write != nil instead of IS NOT NULL"
      return
    }
    if let word = visible.firstMatch(of: /\bILIKE\b/.ignoresCase()) {
      text = "write LIKE[c] to ignore case"
      let place = visible.distance(from: visible.startIndex, to: word.range.lowerBound)
      // The error may be at another word, which must not be replaced.
      if place == position { replacement = "LIKE[c]" }
      return
    }
    guard let position else { return nil }
    let characters = Array(visible)
    guard position < characters.count else { return nil }
    // Unquoted text: the words between the operator and the error, and the words that follow.
    let before = String(characters[..<position])
    let comparison =
      /(?:[=<>]|\b(?:CONTAINS|LIKE|MATCHES|BEGINSWITH|ENDSWITH|IN)(?:\[\w+\])?)\s*((?:(?!(?:AND|OR|NOT)\s)[\p{L}\p{N}_'’*]+\s+)*)$/
      .ignoresCase()
    guard let match = before.firstMatch(of: comparison) else { return nil }
    let ending = String(characters[position...])
    guard
      let last = ending.firstMatch(
        of: /^\*?[\p{L}_][\p{L}\p{N}_'’*]*(?:\s+(?!(?:AND|OR)\b)[\p{L}_][\p{L}\p{N}_'’]*)*/
          .ignoresCase())
    else { return nil }
    let words = String(match.1) + String(last.0)
    text = "text must be quoted: \"\(words)\""
    if match.1.isEmpty, !words.contains(where: { $0.isWhitespace || $0 == "*" }) {
      replacement = "\"\(words)\""
    }
  }
}
