/// One term of a sort order.
package struct SortTerm: Hashable, Sendable {
  /// An attribute, or a key path to one.
  package var key: String
  /// False if the key was written with a minus before it.
  package var ascending: Bool
  /// Whether strings are sorted naturally: `Item 2` before `Item 10`, ignoring case.
  package var isLocalized = false

  package init(key: String, ascending: Bool, isLocalized: Bool = false) {
    (self.key, self.ascending, self.isLocalized) = (key, ascending, isLocalized)
  }

  /// Parses the value of `--sort`, such as `name,-age`: terms in descending importance, with a minus for descending
  /// order.
  package static func parse(_ text: String) throws(Diagnostic) -> [SortTerm] {
    var terms: [SortTerm] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let part = part.trimmingBlanks()
      let descending = part.hasPrefix("-")
      let key = descending || part.hasPrefix("+") ? part.dropFirst().trimmingBlanks() : part
      guard !key.isEmpty else {
        throw Diagnostic(
          .usage, "--sort '\(text)' has an empty key",
          details: ["Separate keys with commas, with a minus for descending order: name,-age"])
      }
      terms.append(SortTerm(key: String(key), ascending: !descending))
    }
    return terms
  }
}

extension StringProtocol {
  /// Returns the text without leading or trailing spaces and tabs.
  package func trimmingBlanks() -> SubSequence {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !isBlank($0) }),
      let last = lastIndex(where: { !isBlank($0) })
    else { return self[endIndex...] }
    return self[first...last]
  }
}
