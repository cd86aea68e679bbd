/// Writes key paths and names so that they read back as what they are.
enum KeyPathPrinter {
  /// A key path: a reserved word as a key gets its number sign, and a character that no name may
  /// have its code. A path that begins with a variable is written like one: no property has such a
  /// name, and programs make texts of parts.
  static func text(of path: String, isBehindDot: Bool = false) -> String {
    var isFirst = !isBehindDot
    return path.split(separator: ".", omittingEmptySubsequences: false).map { key in
      defer { isFirst = false }
      if key.first == "@" { return "@" + name(key.dropFirst()) }
      if isFirst, key.first == "$", key.count > 1 { return "$" + name(key.dropFirst()) }
      if isFirst, ReservedWord(spelling: String(key)) != nil { return "#" + key }
      return name(key)
    }.joined(separator: ".")
  }

  /// The name of a method, part by part.
  static func text(ofSelector selector: String) -> String {
    selector.split(separator: ":", omittingEmptySubsequences: false).map { name($0) }
      .joined(separator: ":")
  }

  /// A name, with codes in place of characters that no name may have.
  static func name(_ name: some StringProtocol) -> String {
    var result = String.UnicodeScalarView()
    for (index, scalar) in name.unicodeScalars.enumerated() {
      let isPart =
        switch scalar {
        case "a"..."z", "A"..."Z", "_": true
        case "0"..."9": index > 0
        default:
          !scalar.isASCII
            && (index == 0 ? scalar.properties.isXIDStart : scalar.properties.isXIDContinue)
        }
      if isPart {
        result.append(scalar)
      } else if scalar.value <= 0xFFFF {
        result.append(contentsOf: String(format: "\\u%04x", scalar.value).unicodeScalars)
      } else {
        result.append(contentsOf: String(format: "\\U%08x", scalar.value).unicodeScalars)
      }
    }
    return String(result)
  }
}
