/// A uniform spelling of the statements in a schema, for comparing statements that do the same.
enum SchemaSpelling {
  /// Returns a statement as this library writes it: names in quotes lose them if ``SchemaBuilder`` writes none, and
  /// several spaces become one.
  ///
  /// SQLite quotes the new names of tables and columns when it renames them (sqlite.org/lang_altertable.html), and
  /// macOS 10.15 wrote two spaces before the condition of a partial index (measured in stores of Photos). Only names
  /// that begin with a Z lose their quotes, because no keyword of SQL begins with a Z, so the statement keeps its
  /// meaning. Strings and other names are unchanged.
  static func plain(_ sql: String) -> String {
    let bytes = Array(sql.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let start = index
      index = endOfToken(at: start, in: bytes)
      if byte == UInt8(ascii: " "), result.last == byte { continue }
      let token = bytes[start..<index]
      let next = index < bytes.count ? bytes[index] : nil
      let isAlone = ![result.last, next].contains { $0.map(SchemaWords.isPart) ?? false }
      result += byte == UInt8(ascii: "\"") && isAlone ? unquoted(token) : token
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the end of a string or quoted name, in which a doubled quote is part of it; otherwise the next place.
  private static func endOfToken(at start: Int, in bytes: [UInt8]) -> Int {
    let quote = bytes[start]
    var index = start + 1
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return index }
    while index < bytes.count {
      index += 1
      guard bytes[index - 1] == quote else { continue }
      guard index < bytes.count, bytes[index] == quote else { return index }
      index += 1
    }
    return index
  }

  /// Returns a quoted name without its quotes if it begins with a Z and needs none.
  private static func unquoted(_ token: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let name = token.dropFirst().dropLast()
    let isComplete = token.last == token.first
    return isComplete && name.first == UInt8(ascii: "Z") && SchemaBuilder.isPlain(name)
      ? name : token
  }
}
