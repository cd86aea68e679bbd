import Foundation

/// Finds words in a source that may be names of types. This costs much less than parsing the source.
enum TypeWords {
  /// The keywords that precede the name of a type in its declaration.
  private static let keywords: Set<String> = [
    "actor", "class", "enum", "protocol", "struct", "typealias",
  ]
  private static let keywordLengths = 4...9

  /// Returns the words after keywords that declare types; none if the file cannot be read.
  static func inFile(at path: String) -> Set<String> {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    return data.withUnsafeBytes { words(in: $0) }
  }

  /// Returns the words after keywords that declare types, including those in comments and strings.
  ///
  /// The tool usually runs without optimization, so only words that may be keywords become strings.
  static func words(in bytes: UnsafeRawBufferPointer) -> Set<String> {
    var words: Set<String> = []
    var place = 0
    while place < bytes.count {
      let start = place
      place = wordEnd(in: bytes, from: start)
      guard place > start else {
        place += 1
        continue
      }
      guard keywordLengths.contains(place - start),
        keywords.contains(String(decoding: bytes[start..<place], as: UTF8.self))
      else { continue }
      // The next word is read again as a possible keyword: after `protocol A: class {}`, the word that follows `class`
      // may be the `struct` of the next declaration.
      place = wordStart(in: bytes, from: place)
      let name = place..<wordEnd(in: bytes, from: place)
      if !name.isEmpty { words.insert(String(decoding: bytes[name], as: UTF8.self)) }
    }
    return words
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func wordEnd(in bytes: UnsafeRawBufferPointer, from place: Int) -> Int {
    var end = place
    while end < bytes.count, isPartOfWord(bytes[end]) { end += 1 }
    return end
  }

  /// Returns the start of the next word that is not in a comment; `place` if there is none.
  private static func wordStart(in bytes: UnsafeRawBufferPointer, from place: Int) -> Int {
    let (slash, star, newline) = (UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "\n"))
    var start = place
    // Comments can be nested.
    var depth = 0
    while start < bytes.count {
      let byte = bytes[start]
      let next = start + 1 < bytes.count ? bytes[start + 1] : 0
      if byte == slash, next == star {
        depth += 1
        start += 2
      } else if byte == star, next == slash, depth > 0 {
        depth -= 1
        start += 2
      } else if byte == slash, next == slash, depth == 0 {
        while start < bytes.count, bytes[start] != newline { start += 1 }
      } else if depth == 0, isPartOfWord(byte) {
        return start
      } else {
        start += 1
      }
    }
    // A comment without an end is not a comment, but a part of a string.
    return place
  }
}
