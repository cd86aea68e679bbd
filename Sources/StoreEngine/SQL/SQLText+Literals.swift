/// Conditions with more constants than a statement has parameters.
extension SQLText {
  /// Conditions with more parameters are rewritten. SQLite may be built for as few as 999 and mostly
  /// is for 32,766.
  private static let mostParameters = 2000
  private static let keptParameters = 500

  /// A condition with few parameters, which holds where this one does.
  ///
  /// The further constants are arguments of a function that returns them. SQLite keeps constants and
  /// parameters in a list in which it looks for each, in the square of their number, but not calls of a
  /// function whose result may change, nor their arguments. A condition as long as that is not
  /// split into terms either, which takes as long and finds no index.
  package var withFewParameters: SQLText {
    guard parameters.count > Self.mostParameters else { return self }
    let text = replacingParameters(after: Self.keptParameters, by: ValueList.literal)
    return SQLText(
      "((\(text)) IS TRUE)", parameters: Array(parameters.prefix(Self.keptParameters)))
  }

  /// The text with all values in it, for a statement that is put together of texts.
  package var withoutParameters: String { replacingParameters(after: 0, by: SQLText.literal) }

  /// Returns the text with the values of all parameters but the first ones in it.
  private func replacingParameters(
    after kept: Int, by literal: (StoredValue) -> String
  ) -> String {
    var index = 0
    var quote: UInt8?
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count * 2)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        // A doubled quote ends one text and begins the next.
        if quote == nil { quote = byte } else if quote == byte { quote = nil }
        bytes.append(byte)
      case UInt8(ascii: "?") where quote == nil:
        if index < kept {
          bytes.append(byte)
        } else {
          bytes += literal(parameters[index]).utf8
        }
        index += 1
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
