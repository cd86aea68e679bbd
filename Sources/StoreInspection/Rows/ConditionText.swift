/// Locates parts of a condition's text for messages about them.
package enum ConditionText {
  /// Returns the number of characters before the key that a message reports as not found; nil for other messages, and
  /// if the condition does not contain the key.
  package static func place(of message: String, in condition: String) -> Int? {
    guard let match = message.firstMatch(of: /^keypath (\S+) not found in entity/) else {
      return nil
    }
    return places(ofWord: String(match.1), in: condition).first
  }

  /// Returns the condition with quoted text replaced by spaces, which keeps all positions.
  package static func withoutTexts(_ condition: String) -> String {
    var characters = Array(condition)
    var quote: Character?
    var index = 0
    while index < characters.count {
      let character = characters[index]
      if let open = quote {
        if character == "\\" {
          characters[index] = " "
          index += 1
        } else if character == open {
          quote = nil
        }
        if index < characters.count { characters[index] = " " }
      } else if character == "'" || character == "\"" {
        quote = character
        characters[index] = " "
      }
      index += 1
    }
    return String(characters)
  }

  /// Returns the positions, as numbers of characters, of all occurrences of a word outside of quotes.
  private static func places(ofWord word: String, in condition: String) -> [Int] {
    var places: [Int] = []
    let characters = Array(withoutTexts(condition))
    let wanted = Array(word)
    var index = 0
    while index < characters.count {
      let start = index
      while index < characters.count, isWordPart(characters[index]) { index += 1 }
      if index > start, Array(characters[start..<index]) == wanted { places.append(start) }
      // Skip the character after the word, or one that is not part of a word.
      index += 1
    }
    return places
  }

  private static func isWordPart(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}
