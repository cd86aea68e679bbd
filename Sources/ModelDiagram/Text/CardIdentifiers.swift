/// The identifiers of a diagram's cards in DOT and Mermaid: plain words that are unique even if case is ignored.
enum CardIdentifiers {
  /// Returns each card's name if it is a word of ASCII letters, digits and underscores that no
  /// other card has and the language does not reserve; otherwise `entity` and the card's number, followed by
  /// underscores if that is in use.
  ///
  /// - Parameter reserved: The language's reserved words, in lower case.
  static func of(_ cards: [EntityCard], reserved: Set<String> = []) -> [String] {
    var counts: [String: Int] = [:]
    for card in cards { counts[card.name.lowercased(), default: 0] += 1 }
    var usedNames: Set<String> = []
    return cards.enumerated().map { place, card in
      let plain = card.name.lowercased()
      if isWord(card.name), counts[plain] == 1, !reserved.contains(plain) {
        usedNames.insert(plain)
        return card.name
      }
      var result = "entity\(place + 1)"
      // An entity may itself be called `entity3`.
      while counts[result] != nil || usedNames.contains(result) { result += "_" }
      usedNames.insert(result)
      return result
    }
  }

  /// Returns whether a string is a word: ASCII letters, digits and underscores, without a digit at the beginning.
  static func isWord(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || $0 == 0x5F
    }
  }

  /// Returns a string with everything except ASCII letters and digits replaced by underscores. If the result is not a
  /// word, an underscore precedes it.
  static func word(_ text: String) -> String {
    if isWord(text) { return text }
    let scalars = text.unicodeScalars.map { scalar in
      scalar.isASCII && isWord("_" + String(scalar)) ? scalar : "_"
    }
    let result = String(String.UnicodeScalarView(scalars))
    // A result that is not a word is empty or begins with a digit.
    return isWord(result) ? result : "_" + result
  }
}
