extension Mangler {
  /// The maximum number of words that can be referred to: one for each letter.
  private static let mostWords = 26

  /// Writes an identifier that has not occurred before. A letter replaces each word that has occurred before: after
  /// `JobCustomer`, `CustomerName` becomes `0B4Name`.
  mutating func appendNewIdentifier(_ identifier: String) {
    if Punycode.isNeeded(for: identifier) {
      let encoded = Punycode.encode(identifier)
      // Without a separator, a leading digit would be read as part of the length, and a leading underscore as the
      // separator.
      let separator = encoded.first.map { $0.isNumber || $0 == "_" } == true ? "_" : ""
      return append("00\(encoded.utf8.count)\(separator)\(encoded)")
    }
    let bytes = Array(identifier.utf8)
    let known = findWords(in: bytes)
    if !known.isEmpty { append("0") }
    var position = 0
    for (number, word) in known.enumerated() {
      appendLiteral(bytes[position..<word.range.lowerBound])
      position = word.range.upperBound
      let isLast = number == known.count - 1
      append(Self.letter(word.number, from: isLast ? "A" : "a"))
      // A literal of length 0 ends an identifier that has no text after its last known word.
      if isLast, position == bytes.count { append("0") }
    }
    appendLiteral(bytes[position...])
  }

  private mutating func appendLiteral(_ bytes: ArraySlice<UInt8>) {
    guard !bytes.isEmpty else { return }
    append("\(bytes.count)\(String(decoding: bytes, as: UTF8.self))")
  }

  /// Returns the words of an identifier that have occurred before, with their numbers, and records the others.
  private mutating func findWords(in bytes: [UInt8]) -> [(range: Range<Int>, number: Int)] {
    var known: [(range: Range<Int>, number: Int)] = []
    for range in Self.words(in: bytes) {
      let text = String(decoding: bytes[range], as: UTF8.self)
      if let number = words.firstIndex(of: text) {
        known.append((range, number))
      } else if range.count >= 2, words.count < Self.mostWords {
        // A reference to a word of one letter would save nothing.
        words.append(text)
      }
    }
    return known
  }

  /// Returns the ranges of an identifier's words. A word does not begin with a digit or an underscore, and it ends
  /// before an underscore, or before a capital that follows anything but a capital.
  private static func words(in bytes: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start: Int?
    for position in 0...bytes.count {
      // A zero after the last byte ends the last word.
      let byte = position < bytes.count ? bytes[position] : 0
      if let begin = start, ends(at: byte, after: bytes[position - 1]) {
        ranges.append(begin..<position)
        start = nil
      }
      if start == nil, byte != 0, byte != UInt8(ascii: "_"), !isDigit(byte) { start = position }
    }
    return ranges
  }

  private static func ends(at byte: UInt8, after previous: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || byte == 0 || (!isCapital(previous) && isCapital(byte))
  }

  private static func isCapital(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
