import Foundation

/// What to write in place of what people who know SQL write, for messages about conditions that cannot be read.
struct ConditionAdvice {
  /// Goes behind the message.
  let text: String
  /// What to write at the place of the mistake; nil where it is more than one word.
  var replacement: String?

  /// The advice on a mistake in a condition; nil where there is none.
  ///
  /// - Parameter position: how many characters stand before the mistake.
  init?(on message: String, in condition: String, at position: Int?) {
    let visible = ConditionText.withoutTexts(condition)
    if let null = visible.firstMatch(of: /\bIS\s+(NOT\s+)?NULL\b/.ignoresCase()) {
      text = null.1 == nil ? "no value is written == nil" : "a value is written != nil"
      return
    }
    if visible.firstMatch(of: /\bILIKE\b/.ignoresCase()) != nil {
      text = "LIKE[c] is the one that ignores case"
      replacement = "LIKE[c]"
      return
    }
    guard let position else { return nil }
    let characters = Array(visible)
    guard position < characters.count else { return nil }
    // From the operator to the mistake there are words, and words that follow belong to them.
    let before = String(characters[..<position])
    let comparison =
      /(?:[=<>]|\b(?:CONTAINS|LIKE|MATCHES|BEGINSWITH|ENDSWITH|IN)(?:\[\w+\])?)\s*((?:[\p{L}\p{N}_'’*]+\s+)*)$/
      .ignoresCase()
    guard let match = before.firstMatch(of: comparison) else { return nil }
    let ending = String(characters[position...])
    guard
      let last = ending.firstMatch(
        of: /^\*?[\p{L}_][\p{L}\p{N}_'’*]*(?:\s+(?!(?:AND|OR)\b)[\p{L}_][\p{L}\p{N}_'’]*)*/
          .ignoresCase())
    else { return nil }
    let words = String(match.1) + String(last.0)
    text = "a text needs quotes: \"\(words)\""
    if match.1.isEmpty, !words.contains(where: { $0.isWhitespace || $0 == "*" }) {
      replacement = "\"\(words)\""
    }
  }
}
