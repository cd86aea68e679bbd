import Foundation

/// Finds words in a source that may be names of types. This costs much less than parsing the source.
enum TypeWords {
  /// The keywords that precede the name of a type in its declaration.
  private static let keywords: Set<String> = [
    "actor", "class", "enum", "protocol", "struct", "typealias",
  ]

  /// Returns the words after keywords that declare types; none if the file cannot be read.
  static func inFile(at path: String) -> Set<String> {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    var words: Set<String> = []
    var word: [UInt8] = []
    var isName = false
    for byte in data {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        word.append(byte)
      case _ where !word.isEmpty:
        let text = String(decoding: word, as: UTF8.self)
        if isName { words.insert(text) }
        isName = keywords.contains(text)
        word.removeAll(keepingCapacity: true)
      default: break
      }
    }
    return words
  }
}
