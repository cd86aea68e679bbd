/// One term of an order.
package struct SortTerm: Hashable, Sendable {
  /// An attribute, or a path to one.
  package var key: String
  /// False for a key written with a minus before it.
  package var ascending: Bool
  /// Whether texts come as people sort them: `Item 2` before `Item 10`, whatever the case.
  package var isLocalized = false

  package init(key: String, ascending: Bool, isLocalized: Bool = false) {
    (self.key, self.ascending, self.isLocalized) = (key, ascending, isLocalized)
  }

  /// Reads `name,-age` of `--sort`: terms by importance, a minus for descending.
  package static func parse(_ text: String) throws(Diagnostic) -> [SortTerm] {
    var terms: [SortTerm] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let part = part.trimmingBlanks()
      let descending = part.hasPrefix("-")
      let key = descending || part.hasPrefix("+") ? part.dropFirst().trimmingBlanks() : part
      guard !key.isEmpty else {
        throw Diagnostic(
          .usage, "--sort '\(text)' has an empty key",
          details: ["Write keys with commas between them, a minus for descending: name,-age"])
      }
      terms.append(SortTerm(key: String(key), ascending: !descending))
    }
    return terms
  }
}

extension StringProtocol {
  /// The text without spaces and tabs at its ends.
  package func trimmingBlanks() -> SubSequence {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !isBlank($0) }),
      let last = lastIndex(where: { !isBlank($0) })
    else { return self[endIndex...] }
    return self[first...last]
  }
}
