/// Finds the words of a statement outside of quoted names, strings and comments.
enum SchemaWords {
  static func bare(in sql: String) -> Set<String> {
    var words: Set<String> = []
    var word: [UInt8] = []
    let bytes = Array(sql.utf8)
    var index = 0
    func finish() {
      if !word.isEmpty { words.insert(String(decoding: word, as: UTF8.self).uppercased()) }
      word = []
    }
    /// Moves past the next occurrence of a string.
    func skip(to end: String) {
      let end = Array(end.utf8)
      while index < bytes.count, !bytes[index...].starts(with: end) { index += 1 }
      index += end.count
    }
    while index < bytes.count {
      let byte = bytes[index]
      if isPart(byte) {
        word.append(byte)
        index += 1
        continue
      }
      finish()
      index += 1
      switch byte {
      // A doubled quote ends a string and begins another one, which has the same effect.
      case UInt8(ascii: "'"): skip(to: "'")
      case UInt8(ascii: "\""): skip(to: "\"")
      case UInt8(ascii: "`"): skip(to: "`")
      case UInt8(ascii: "["): skip(to: "]")
      case UInt8(ascii: "-") where index < bytes.count && bytes[index] == byte: skip(to: "\n")
      case UInt8(ascii: "/") where index < bytes.count && bytes[index] == UInt8(ascii: "*"):
        index += 1
        skip(to: "*/")
      default: break
      }
    }
    finish()
    return words
  }

  /// Returns whether a byte of UTF-8 can be part of a word.
  static func isPart(_ byte: UInt8) -> Bool {
    byte == 0x5f || byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
      || (0x61...0x7a).contains(byte)
  }
}
