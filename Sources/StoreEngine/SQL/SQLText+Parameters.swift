/// Statements as a database is given them, and values in their text.
extension SQLText {
  /// How many parameters a condition keeps that has too many.
  private static let keptParameters = 500

  /// The text with each parameter as a database writes it.
  package func text(in dialect: some SQLDialect) -> String {
    replacingParameters { dialect.parameter($0 + 1, $1) }
  }

  /// A condition with few parameters, which holds where this one does.
  ///
  /// The further values are constants of the dialect. A condition as long as that is not split into terms either, which
  /// takes as long and finds no index.
  ///
  /// - Throws: an error where the dialect has no such constants.
  package func withFewParameters(_ dialect: any SQLDialect) throws -> SQLText {
    guard parameters.count > dialect.mostParameters else { return self }
    let text = try replacingParameters {
      try $0 < Self.keptParameters ? "?" : dialect.constant($1).pushedDown("so many conditions")
    }
    return SQLText("((\(text)) IS TRUE)", parameters: Array(parameters.prefix(Self.keptParameters)))
  }

  /// The text with all values in it, for a statement that is put together of texts.
  package func withoutParameters(_ dialect: some SQLDialect) -> String {
    replacingParameters { dialect.literal($1) }
  }

  /// Returns the text with something else in the place of each parameter, of which the first is number 0.
  private func replacingParameters(
    by text: (Int, StoredValue) throws -> String
  ) rethrows -> String {
    var index = 0
    var quote: UInt8?
    var bytes: [UInt8] = []
    bytes.reserveCapacity(self.text.utf8.count * 2)
    for byte in self.text.utf8 {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        // A doubled quote ends one text and begins the next.
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
