extension SourceText {
  /// Reads text that an XML parser has accepted as well-formed.
  ///
  /// - Returns: Nil for text that this reader cannot represent without loss. Otherwise `text` is identical to
  ///   the input, to the last character.
  init?(_ data: Data) {
    guard let text = String(validating: data, as: UTF8.self) else { return nil }
    var scanner = SourceScanner(text)
    // Changes must not be merged into text that this scanner does not reproduce byte by byte.
    guard let result = scanner.document(), result.text.utf8.elementsEqual(data) else { return nil }
    self = result
  }
}

/// Splits an XML text into its parts.
private struct SourceScanner {
  private let scalars: [Unicode.Scalar]
  private var place = 0

  /// The maximum nesting depth, equal to that of the XML parser for models.
  private static let deepestNesting = 64

  init(_ text: String) {
    // Use scalars, because a quotation mark and a following combining mark form one `Character`, but the
    // quotation mark still ends a value.
    scalars = Array(text.unicodeScalars)
  }

  mutating func document() -> SourceText? {
    guard let prolog = miscellany(isProlog: true), let root = element(depth: 0),
      let epilog = miscellany(isProlog: false), place == scalars.count
    else { return nil }
    return SourceText(prolog: prolog, root: root, epilog: epilog)
  }

  /// Reads the text around the root element: the declaration, comments, a document type.
  private mutating func miscellany(isProlog: Bool) -> String? {
    let start = place
    while place < scalars.count {
      if isNext("<!--") {
        guard skip(past: "-->") else { return nil }
      } else if isNext("<?") {
        guard skip(past: "?>") else { return nil }
      } else if isNext("<!DOCTYPE") {
        guard skipDocumentType() else { return nil }
      } else if scalars[place] == "<" {
        break
      } else {
        place += 1
      }
    }
    return text(from: start)
  }

  private mutating func skipDocumentType() -> Bool {
    while place < scalars.count, scalars[place] != ">", scalars[place] != "[" { place += 1 }
    guard place < scalars.count else { return false }
    if scalars[place] == "[" { guard skip(past: "]") else { return false } }
    return skip(past: ">")
  }

  private mutating func element(depth: Int) -> SourceElement? {
    guard depth < Self.deepestNesting, place < scalars.count, scalars[place] == "<" else {
      return nil
    }
    place += 1
    var element = SourceElement(name: name())
    while true {
      let space = whiteSpace()
      guard place < scalars.count else { return nil }
      if scalars[place] == "/" || scalars[place] == ">" {
        element.endSpace = space
        break
      }
      guard let attribute = attribute(after: space) else { return nil }
      element.attributes.append(attribute)
    }
    element.isSelfClosing = scalars[place] == "/"
    place += element.isSelfClosing ? 2 : 1
    guard element.isSelfClosing || content(of: &element, depth: depth) else { return nil }
    return element
  }

  private mutating func attribute(after space: String) -> SourceElement.Attribute? {
    let name = name()
    let start = place
    _ = whiteSpace()
    guard place < scalars.count, scalars[place] == "=" else { return nil }
    place += 1
    _ = whiteSpace()
    let equals = text(from: start)
    guard place < scalars.count, scalars[place] == "\"" || scalars[place] == "'" else { return nil }
    let mark = scalars[place]
    place += 1
    let valueStart = place
    while place < scalars.count, scalars[place] != mark { place += 1 }
    guard place < scalars.count, !name.isEmpty else { return nil }
    defer { place += 1 }
    return SourceElement.Attribute(
      space: space, name: name, equals: equals, mark: mark, rawValue: text(from: valueStart))
  }

  private mutating func content(of element: inout SourceElement, depth: Int) -> Bool {
    var start = place
    func flush(_ scanner: SourceScanner, _ element: inout SourceElement) {
      if scanner.place > start { element.children.append(.text(scanner.text(from: start))) }
    }
    while place < scalars.count {
      if isNext("</") {
        flush(self, &element)
        place += 2
        guard name() == element.name else { return false }
        element.closingSpace = whiteSpace()
        guard place < scalars.count, scalars[place] == ">" else { return false }
        place += 1
        return true
      } else if isNext("<!--") {
        guard skip(past: "-->") else { return false }
      } else if isNext("<![CDATA[") {
        guard skip(past: "]]>") else { return false }
      } else if isNext("<?") {
        guard skip(past: "?>") else { return false }
      } else if scalars[place] == "<" {
        flush(self, &element)
        guard let child = self.element(depth: depth + 1) else { return false }
        element.children.append(.element(child))
        start = place
      } else {
        place += 1
      }
    }
    return false
  }

  private func isNext(_ mark: String) -> Bool {
    scalars[place...].starts(with: mark.unicodeScalars)
  }

  private mutating func skip(past mark: String) -> Bool {
    let mark = Array(mark.unicodeScalars)
    while place + mark.count <= scalars.count {
      if scalars[place..<place + mark.count].elementsEqual(mark) {
        place += mark.count
        return true
      }
      place += 1
    }
    return false
  }

  private mutating func name() -> String {
    let start = place
    while place < scalars.count, !" \t\r\n=/>".unicodeScalars.contains(scalars[place]) {
      place += 1
    }
    return text(from: start)
  }

  private mutating func whiteSpace() -> String {
    let start = place
    while place < scalars.count, " \t\r\n".unicodeScalars.contains(scalars[place]) { place += 1 }
    return text(from: start)
  }

  private func text(from start: Int) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars[start..<place])
    return text
  }
}
