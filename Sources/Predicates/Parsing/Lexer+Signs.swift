extension Lexer {
  // Of spellings that begin alike, the longest comes first, because the first match counts.
  private static let spellings: [(String, Token.Sign)] = [
    ("==", .equal), ("=<", .lessOrEqual), ("=>", .greaterOrEqual), ("=", .equal),
    ("!=", .notEqual), ("<>", .notEqual), ("<=", .lessOrEqual), ("<<", .shiftLeft), ("<", .less),
    (">=", .greaterOrEqual), (">>", .shiftRight), (">", .greater), ("&&", .and), ("&", .bitAnd),
    ("||", .or), ("|", .bitOr), ("^", .bitXor), ("!", .not), ("**", .power), ("*", .times),
    ("/", .divide), ("+", .plus), ("-", .minus), (":=", .assign), ("(", .openParenthesis),
    (")", .closeParenthesis), ("[", .openBracket), ("]", .closeBracket), ("{", .openBrace),
    ("}", .closeBrace), (",", .comma), (".", .dot),
  ]

  /// Scans an operator, a bracket, a comma or a dot: the longest match.
  mutating func scanSign() throws(InvalidPredicateError) -> Token.Kind {
    for (spelling, sign) in Self.spellings
    where text[position...].starts(with: spelling.unicodeScalars) {
      position += spelling.unicodeScalars.count
      return .sign(sign)
    }
    throw error("the character \"\(text[position])\" has no meaning here")
  }

  /// Scans `%@`, `%K`, a `printf` conversion with its flags, width and length, or `%%`.
  mutating func scanArgument() throws(InvalidPredicateError) -> Token.Kind {
    let start = position
    position += 1
    if peek() == "%" {
      position += 1
      return .sign(.modulus)
    }
    while let scalar = peek(), "0123456789.-+#".unicodeScalars.contains(scalar) { position += 1 }
    while let scalar = peek(), "hlqLzjt".unicodeScalars.contains(scalar) { position += 1 }
    guard let letter = peek() else { throw unknownConversion(from: start) }
    position += 1
    switch letter {
    case "@": return .argument(.object)
    case "K": return .argument(.keyPath)
    case "c", "C": return .argument(.character)
    case "p": return .argument(.pointer)
    case "d", "i", "u", "x", "X", "o", "D", "U", "O":
      // "%lud" is a common error, which Apple's parser accepts.
      if let slip = peek(), "diu".unicodeScalars.contains(slip), !isNamePart(peek(1)) {
        position += 1
      }
      return .argument(.integer)
    case "f", "F", "g", "G", "e", "E", "a", "A": return .argument(.double)
    case "s", "S": return .argument(.string)
    default: throw unknownConversion(from: start)
    }
  }

  private func unknownConversion(from start: Int) -> InvalidPredicateError {
    error(
      "\"\(spelling(from: start))\" is not an argument: use %@, %K, or a printf conversion such as %d",
      at: start)
  }
}
