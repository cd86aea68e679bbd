/// Splits a format string into tokens.
struct Lexer {
  /// The maximum length of a format in Unicode scalars.
  static let maximumLength = 20_000_000

  let format: String
  let text: [Unicode.Scalar]
  var position = 0
  var tokens: [Token] = []

  /// Returns the tokens of a format string, the last of kind `end` or `invalid`, and its Unicode scalars.
  static func tokens(of format: String) throws(InvalidPredicateError) -> (
    tokens: [Token], text: [Unicode.Scalar]
  ) {
    var lexer = Lexer(format: format, text: Array(format.unicodeScalars))
    guard lexer.text.count <= maximumLength else {
      throw InvalidPredicateError(
        "the text is longer than \(maximumLength) characters", format: format, position: 0)
    }
    lexer.run()
    return (lexer.tokens, lexer.text)
  }

  /// Scans all tokens. An error becomes the last token. The parser reports the error only when it gets there, because
  /// an error in an earlier part of the text must be reported first.
  private mutating func run() {
    while true {
      while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
      let start = position
      guard let scalar = peek() else {
        tokens.append(Token(kind: .end, range: start..<start))
        return
      }
      do {
        let kind = try token(beginningWith: scalar)
        tokens.append(Token(kind: kind, range: start..<position))
      } catch {
        tokens.append(Token(kind: .invalid(error), range: start..<position))
        return
      }
    }
  }

  private mutating func token(
    beginningWith scalar: Unicode.Scalar
  ) throws(InvalidPredicateError) -> Token.Kind {
    // Scan UUIDs before numbers and words, because a UUID begins like one of them.
    if let uuid = scanUUID() { return .uuid(uuid) }
    switch scalar {
    case "\"", "'":
      return .string(try scanString(quote: scalar))
    case "$":
      return .variable(try scanName(after: "a dollar sign begins a variable"))
    case "#":
      return .identifier(try scanName(after: "a number sign goes before a key"))
    case "@":
      return try scanAt()
    case "%":
      return try scanArgument()
    case "0"..."9":
      return try scanNumber()
    case "." where followsOperand == false && isDigit(peek(1)):
      return try scanNumber()
    case _ where isNameStart(scalar):
      return try scanWord()
    default:
      return try scanSign()
    }
  }

  /// Whether the preceding token ends an operand, so that a dot begins a key and not a number.
  private var followsOperand: Bool {
    switch tokens.last?.kind {
    case .identifier, .variable, .keyPathOperator, .argument, .string, .uuid, .integer, .double,
      .unsigned, .sign(.closeParenthesis), .sign(.closeBracket), .sign(.closeBrace), .sign(.dot),
      .reserved(.`self`):
      true
    default: false
    }
  }

  func peek(_ offset: Int = 0) -> Unicode.Scalar? {
    position + offset < text.count ? text[position + offset] : nil
  }

  func isDigit(_ scalar: Unicode.Scalar?) -> Bool {
    guard let scalar else { return false }
    return ("0"..."9").contains(scalar)
  }

  /// Accepts letters beyond ASCII, so that printed predicates parse again.
  func isNameStart(_ scalar: Unicode.Scalar?) -> Bool {
    guard let scalar else { return false }
    switch scalar {
    case "a"..."z", "A"..."Z", "_", "\\": return true
    default: return !scalar.isASCII && scalar.properties.isXIDStart
    }
  }

  func isNamePart(_ scalar: Unicode.Scalar?) -> Bool {
    guard let scalar else { return false }
    return isNameStart(scalar) || isDigit(scalar)
      || (!scalar.isASCII && scalar.properties.isXIDContinue)
  }

  /// Returns the text from a position to the current one.
  func spelling(from start: Int) -> String {
    String(String.UnicodeScalarView(text[start..<min(position, text.count)]))
  }

  func error(_ message: String, at place: Int? = nil) -> InvalidPredicateError {
    InvalidPredicateError(
      message, format: format, position: Lexer.characterOffset(of: place ?? position, in: format))
  }

  /// Returns the number of characters before a Unicode scalar.
  static func characterOffset(of scalarOffset: Int, in format: String) -> Int {
    let scalars = format.unicodeScalars
    let end =
      scalars.index(scalars.startIndex, offsetBy: scalarOffset, limitedBy: scalars.endIndex)
      ?? scalars.endIndex
    return format[..<end].count
  }
}
