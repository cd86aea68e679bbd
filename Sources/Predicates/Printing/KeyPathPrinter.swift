/// Prints key paths and names in a form that the predicate parser reads back.
enum KeyPathPrinter {
  /// Returns the text of a key path. A reserved word at the beginning gets a number sign, and a character that is not
  /// allowed in names is escaped. The dollar sign of a variable at the beginning of a path is not escaped, because
  /// programs assemble such strings and no property has such a name.
  static func text(of path: String, isBehindDot: Bool = false) -> String {
    var isFirst = !isBehindDot
    return path.split(separator: ".", omittingEmptySubsequences: false).map { key in
      defer { isFirst = false }
      if key.first == "@" { return "@" + name(key.dropFirst()) }
      if isFirst, key.first == "$", key.count > 1 { return "$" + name(key.dropFirst()) }
      // Only the first key needs the sign: after a dot, the parser reads a reserved word as a key.
      if isFirst, ReservedWord(spelling: String(key)) != nil { return "#" + key }
      return name(key)
    }.joined(separator: ".")
  }

  /// Returns the name of a method, with each part escaped.
  static func text(ofSelector selector: String) -> String {
    selector.split(separator: ":", omittingEmptySubsequences: false).map { name($0) }
      .joined(separator: ":")
  }

  /// Returns a name, with escape sequences for characters that are not allowed in names.
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
