/// The types of the standard library that have a single letter in symbols.
enum StandardTypes {
  private static let letters: [String: String] = [
    "AutoreleasingUnsafeMutablePointer": "A", "Array": "a", "Bool": "b", "Dictionary": "D",
    "Double": "d", "Float": "f", "Set": "h", "DefaultIndices": "I", "Int": "i", "Character": "J",
    "ClosedRange": "N", "Range": "n", "ObjectIdentifier": "O", "UnsafePointer": "P",
    "UnsafeMutablePointer": "p", "Optional": "q", "UnsafeBufferPointer": "R",
    "UnsafeMutableBufferPointer": "r", "String": "S", "Substring": "s", "UInt": "u",
    "UnsafeRawPointer": "V", "UnsafeMutableRawPointer": "v", "UnsafeRawBufferPointer": "W",
    "UnsafeMutableRawBufferPointer": "w",
    // Protocols.
    "BinaryFloatingPoint": "B", "Encodable": "E", "Decodable": "e", "FloatingPoint": "F",
    "RandomNumberGenerator": "G", "Hashable": "H", "Numeric": "j", "BidirectionalCollection": "K",
    "RandomAccessCollection": "k", "Comparable": "L", "Collection": "l", "MutableCollection": "M",
    "RangeReplaceableCollection": "m", "Equatable": "Q", "Sequence": "T", "IteratorProtocol": "t",
    "UnsignedInteger": "U", "RangeExpression": "X", "Strideable": "x", "RawRepresentable": "Y",
    "StringProtocol": "y", "SignedInteger": "Z", "BinaryInteger": "z",
  ]

  /// Returns the letter of a type; nil if it has none.
  static func letter(of type: NominalType) -> String? {
    type.container == .module("Swift") ? letters[type.name] : nil
  }
}
