extension Diagnostic {
  /// A predicate that cannot be read, with a caret under the place.
  ///
  /// `position` counts the characters before the place; nil where the trouble is with the whole.
  package static func predicate(_ message: String, in format: String, at position: Int?)
    -> Diagnostic
  {
    let advice = ConditionAdvice(on: message, in: format, at: position)
    return Diagnostic(
      .usage, predicatePrefix + message + (advice.map { "; \($0.text)" } ?? ""),
      details: position.map { pointer(to: $0, in: format) } ?? ["  " + format],
      position: position, replacements: advice?.replacement.map { [$0] } ?? [])
  }

  /// What messages about conditions begin with.
  package static let predicatePrefix = "in --where: "

  /// The text and a line with a caret under one of its characters; of a long text the part around.
  package static func pointer(to position: Int, in text: String) -> [String] {
    // One visible character for each of the text's, so that the count still fits.
    let characters = text.map { $0.isNewline || $0 == "\t" ? " " : $0 }
    let position = min(max(position, 0), characters.count)
    let reach = 50
    let start = position > reach ? position - reach : 0
    let end = min(characters.count, position + reach)
    let before = (start > 0 ? "…" : "") + String(characters[start..<position])
    let after = String(characters[position..<end]) + (end < characters.count ? "…" : "")
    let indent = String(repeating: " ", count: DisplayWidth.of(before))
    return ["  " + before + after, "  " + indent + "^"]
  }
}
