extension Lexer {
  /// Scans a key, a reserved word, or a name with colons.
  mutating func scanWord() throws(InvalidPredicateError) -> Token.Kind {
    let start = position
    let name = try scanNameParts()
    if let reserved = scanUTI(name: name) { return .reserved(reserved) }
    // A colon before an equals sign belongs to the operator `:=`.
    if peek() == ":", peek(1) != "=" {
      var full = name
      while peek() == ":" {
        position += 1
        full += ":"
        guard isNameStart(peek()) else { continue }
        let end = position
        let part = try scanNameParts()
        if peek() == ":" {
          full += part
        } else {
          // A last part without a colon belongs to the next token.
          position = end
          break
        }
      }
      return isParenthesisNext ? .functionName(full) : .selector(full)
    }
    // A name that begins with an escape sequence is a key, even if it is spelled like a reserved
    // word.
    if text[start] != "\\", let word = ReservedWord(spelling: name) { return .reserved(word) }
    return .identifier(name)
  }

  private var isParenthesisNext: Bool {
    var offset = 0
    while let scalar = peek(offset), scalar.properties.isWhitespace { offset += 1 }
    return peek(offset) == "("
  }

  /// Scans the operators with hyphens, `UTI-EQUALS` and `UTI-CONFORMS-TO`.
  private mutating func scanUTI(name: String) -> ReservedWord? {
    // These words need their own scan, because a hyphen ends a name.
    guard peek() == "-", name.asciiUppercased == "UTI" else { return nil }
    for word in [ReservedWord.utiConformsTo, .utiEquals] {
      let rest = word.rawValue.dropFirst(3).unicodeScalars
      let found = text[position...].prefix(rest.count)
      if String(String.UnicodeScalarView(found)).asciiUppercased == word.rawValue.dropFirst(3) {
        position += rest.count
        return word
      }
    }
    return nil
  }

  /// Scans the name after a sign such as `$`.
  mutating func scanName(after reason: String) throws(InvalidPredicateError) -> String {
    let start = position
    position += 1
    guard isNameStart(peek()) else {
      throw error("\(reason), whose name must begin with a letter", at: start)
    }
    return try scanNameParts()
  }

  /// Scans a key path operator such as `@count`, or Objective-C's `@YES` and `@NO`.
  mutating func scanAt() throws(InvalidPredicateError) -> Token.Kind {
    let name = try scanName(after: "an at sign begins an operator such as @count")
    switch ReservedWord(spelling: name) {
    case .yes, .true: return .reserved(.true)
    case .no, .false: return .reserved(.false)
    default: return .keyPathOperator("@" + name)
    }
  }

  /// Scans the letters and digits of a name, and resolves its escape sequences.
  mutating func scanNameParts() throws(InvalidPredicateError) -> String {
    var name = String.UnicodeScalarView()
    while let scalar = peek(), isNamePart(scalar) {
      if scalar == "\\" {
        let start = position
        let escaped = try scanEscape()
        // Key paths are stored as one string, in which a dot separates keys.
        if escaped == "." { throw error("a name cannot contain a dot", at: start) }
        name.append(escaped)
      } else {
        name.append(scalar)
        position += 1
      }
    }
    return String(name)
  }

  /// Scans a UUID in its printed form, `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`. A subtraction of numbers that has
  /// exactly this form is read as a UUID, too.
  mutating func scanUUID() -> UUID? {
    guard position + 36 <= text.count, position == 0 || !isNamePart(text[position - 1]),
      !isNamePart(peek(36)), peek(8) == "-", peek(13) == "-", peek(18) == "-", peek(23) == "-"
    else { return nil }
    let candidate = String(String.UnicodeScalarView(text[position..<position + 36]))
    guard let uuid = UUID(uuidString: candidate) else { return nil }
    position += 36
    return uuid
  }
}
