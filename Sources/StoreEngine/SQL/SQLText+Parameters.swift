/// Converts statements to the syntax of a database, and writes values into their text.
extension SQLText {
  /// The number of parameters that remain in a condition that has too many parameters.
  private static let keptParameters = 500

  /// Returns the text with parameters in the syntax of a database.
  package func text(in dialect: some SQLDialect) -> String {
    replacingParameters { dialect.parameter($0 + 1, $1) }
  }

  /// Returns a condition that is true for the same rows and does not exceed the dialect's maximum number of parameters.
  ///
  /// The first values remain parameters. All further values are written as constants of the dialect.
  ///
  /// - Throws: An error if the dialect cannot write a value as a constant.
  package func withFewParameters(_ dialect: any SQLDialect) throws -> SQLText {
    let most = dialect.mostParameters
    guard parameters.count > most else { return self }
    let kept = min(Self.keptParameters, most)
    let text = try replacingParameters {
      try $0 < kept ? "?" : dialect.constant($1).pushedDown("so many conditions")
    }
    // `IS TRUE` keeps SQLite from splitting such a long condition into terms, which would take a long time without
    // making an index usable.
    return SQLText("((\(text)) IS TRUE)", parameters: Array(parameters.prefix(kept)))
  }

  /// Returns the text with all values as literals, for a statement that is put together from strings.
  package func withoutParameters(_ dialect: some SQLDialect) -> String {
    replacingParameters { dialect.literal($1) }
  }

  /// Returns the text with each parameter replaced. The first parameter has the number 0.
  private func replacingParameters(
    by text: (Int, StoredValue) throws -> String
  ) rethrows -> String {
    var index = 0
    var quote: UInt8?
    var bytes: [UInt8] = []
    bytes.reserveCapacity(self.text.utf8.count * 2)
    // Searching bytes suffices, because in UTF-8 no other character contains the byte of a quote or a question mark.
    for byte in self.text.utf8 {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        // A doubled quote ends one quoted text and begins the next, so the state stays correct.
        if quote == nil { quote = byte } else if quote == byte { quote = nil }
        bytes.append(byte)
      case UInt8(ascii: "?") where quote == nil:
        bytes += try text(index, parameters[index]).utf8
        index += 1
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
