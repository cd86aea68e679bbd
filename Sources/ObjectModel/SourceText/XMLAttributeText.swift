/// Escapes and unescapes attribute values of XML.
enum XMLAttributeText {
  /// Returns a string as Xcode writes it between double quotation marks.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case "\"": result += "&quot;"
      // A parser replaces unescaped white space in an attribute with spaces (XML 1.0, section 3.3.3).
      case "\n", "\r", "\t": result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns whether XML can represent a string. It cannot represent most control characters.
  static func canHold(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      // The characters of XML 1.0, section 2.2. Swift's scalars exclude the surrogates.
      scalar.value >= 0x20
        ? scalar.value < 0xFFFE || scalar.value > 0xFFFF : "\n\r\t".unicodeScalars.contains(scalar)
    }
  }

  private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

  /// Returns a value with its escape sequences resolved. Entities that the document declares stay unresolved.
  static func unescaped(_ raw: String) -> String {
    guard raw.unicodeScalars.contains("&") else { return raw }
    var result = ""
    var rest = raw.unicodeScalars[...]
    while let start = rest.firstIndex(of: "&") {
      result.unicodeScalars.append(contentsOf: rest[..<start])
      rest = rest[start...]
      guard let end = rest.firstIndex(of: ";"),
        let character = character(String(rest[rest.index(after: start)..<end]))
      else {
        result += "&"
        rest = rest.dropFirst()
        continue
      }
      result += character
      rest = rest[rest.index(after: end)...]
    }
    result.unicodeScalars.append(contentsOf: rest)
    return result
  }

  private static func character(_ reference: String) -> String? {
    if let entity = entities[reference] { return entity }
    guard reference.hasPrefix("#") else { return nil }
    let digits = reference.dropFirst()
    let code = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return code.flatMap(Unicode.Scalar.init).map(String.init)
  }
}
