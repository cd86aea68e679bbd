/// Finds in a condition's text what a message about it speaks of.
package enum ConditionText {
  /// How many characters stand before the key that the library did not find; nil for other
  /// messages.
  package static func place(of message: String, in condition: String) -> Int? {
    guard let match = message.firstMatch(of: /^keypath (\S+) not found in entity/) else {
      return nil
    }
    return place(ofWord: String(match.1), in: condition)
  }

  /// How many characters stand before a word outside of quotes; nil where it is not there.
  package static func place(ofWord word: String, in condition: String) -> Int? {
    let characters = Array(condition)
    let wanted = Array(word)
    var quote: Character?
    var index = 0
    while index < characters.count {
      let character = characters[index]
      if let open = quote {
        if character == "\\" { index += 1 } else if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
      } else if isWordPart(character) {
        let start = index
        while index < characters.count, isWordPart(characters[index]) { index += 1 }
        if Array(characters[start..<index]) == wanted { return start }
        continue
      }
      index += 1
    }
    return nil
  }

  private static func isWordPart(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}
