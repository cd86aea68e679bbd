import Foundation

extension CellValue {
  /// The value for people to read in a table: one line, no control characters.
  package var formatted: String {
    switch self {
    case .null: ""
    case .unreadable: "‹unreadable›"
    case .boolean(let value): value ? "yes" : "no"
    case .integer(let value): String(value)
    case .double(let value): value.description
    case .decimal(let value): value.description
    case .text(let value): value.onOneLine
    case .date(let value): DateText.formatted(value)
    case .data(let value): Self.sizeText(value.count)
    case .unread(let size, _): Self.sizeText(size)
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString.onOneLine
    case .object(let entity, let key): "\(entity.onOneLine)/p\(key)"
    case .objects(let entity, let count): "\(CountText.grouped(count)) \(entity.onOneLine)"
    case .count(let count): CountText.grouped(count)
    case .composite(let elements):
      "{"
        + elements.inOrder.map { "\($0.name.onOneLine): \($0.value.formatted)" }
        .joined(separator: ", ") + "}"
    case .other(let value): value.onOneLine
    }
  }

  /// Returns a placeholder for data of a size.
  package static func sizeText(_ size: Int) -> String { "‹\(CountText.bytes(size))›" }
}

extension [String: CellValue] {
  /// The elements of a composite value in the byte order of their names.
  var inOrder: [(name: String, value: CellValue)] {
    sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { (name: $0.key, value: $0.value) }
  }
}

extension String {
  /// The text, with visible replacements for characters that would move the cursor, color the terminal or reverse the
  /// reading direction. A store may come from an untrusted source, and printing it must not control the terminal.
  package var onOneLine: String {
    guard unicodeScalars.contains(where: \.disturbsTerminal) else { return self }
    var result = String.UnicodeScalarView()
    var previousWasReturn = false
    for scalar in unicodeScalars {
      switch scalar {
      case "\n" where previousWasReturn: break
      case "\n", "\r", "\u{2028}", "\u{2029}": result.append("⏎")
      case _ where !scalar.disturbsTerminal: result.append(scalar)
      case "\0"..<" ": result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
      default: result.append("\u{FFFD}")
      }
      previousWasReturn = scalar == "\r"
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  package var disturbsTerminal: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0: true
    // Line and paragraph separators, and the characters that embed, override and isolate directions.
    case 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
