import CoreData

extension Diagnostic {
  /// Returns the error for a predicate that cannot be parsed, with a caret under the location of the error.
  ///
  /// `position` is the number of characters before the error; nil if the error concerns the whole predicate.
  package static func predicate(_ message: String, in format: String, at position: Int?)
    -> Diagnostic
  {
    let advice = ConditionAdvice(in: format, at: position)
    return Diagnostic(
      .usage, predicatePrefix + message + (advice.map { "; \($0.text)" } ?? ""),
      details: position.map { pointer(to: $0, in: format) } ?? ["  " + format],
      position: position, replacements: advice?.replacement.map { [$0] } ?? [])
  }

  /// The prefix of messages about conditions.
  package static let predicatePrefix = "in --where: "

  /// Returns the text, and a line with a caret under one of its characters; long text is shortened around the position.
  package static func pointer(to position: Int, in text: String) -> [String] {
    // Replace each line end and tab with a space, to keep the positions.
    let characters = text.map { $0.isNewline || $0 == "\t" ? " " : $0 }
    // The end of the text is a valid position too: something may be missing there.
    let position = min(max(position, 0), characters.count)
    let reach = 50
    let start = position > reach ? position - reach : 0
    let end = min(characters.count, position + reach)
    let before = (start > 0 ? "…" : "") + String(characters[start..<position])
    let after = String(characters[position..<end]) + (end < characters.count ? "…" : "")
    // Count columns instead of characters, because East Asian letters and emoji occupy two columns.
    let indent = String(repeating: " ", count: DisplayWidth.of(before))
    return ["  " + before + after, "  " + indent + "^"]
  }
}
