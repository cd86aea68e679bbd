import FoundationXML

/// An XML element that tracks which of its attributes were read.
///
/// An attribute remains unread if the reader of the file does not know its name, or if its value is not a boolean but
/// must be one.
package final class XMLNode {
  /// The element's name.
  package let name: String
  let attributes: [String: String]
  /// The line in the file.
  package let line: Int
  /// The child elements.
  package fileprivate(set) var children: [XMLNode] = []
  /// The text content.
  package fileprivate(set) var text = ""
  private var readNames: Set<String> = []

  fileprivate init(name: String, attributes: [String: String], line: Int) {
    self.name = name
    self.attributes = attributes
    self.line = line
  }

  /// The value of an attribute; nil if it does not exist.
  package subscript(_ attribute: String) -> String? {
    readNames.insert(attribute)
    return attributes[attribute]
  }

  /// Returns the value of an attribute; nil if it does not exist or is empty.
  func nonempty(_ attribute: String) -> String? {
    guard let value = self[attribute], !value.isEmpty else { return nil }
    return value
  }

  /// Returns the value of a boolean attribute: `YES`, `true` or `1`, and `NO`, `false` or `0`; nil if it does not exist
  /// or has any other value. In the latter case it remains unread.
  func flag(_ attribute: String) -> Bool? {
    let value: Bool
    // Do not use the subscript, which would mark an attribute with an unknown value as read.
    switch attributes[attribute] {
    case "YES", "true", "1": value = true
    case "NO", "false", "0": value = false
    default: return nil
    }
    readNames.insert(attribute)
    return value
  }

  /// The attributes that were never read, sorted by name.
  var unreadNames: [String] {
    attributes.keys.filter { !readNames.contains($0) }.sorted()
  }
}

extension XMLNode {
  /// Returns the root element of a document.
  ///
  /// - Throws: An error that identifies the file and, if the document is not well-formed, the line.
  package static func read(_ data: Data, from url: URL?) throws -> XMLNode {
    // A name that is not valid UTF-8 crashes Foundation's parser.
    guard String(validating: data, as: UTF8.self) != nil else {
      throw ModelFileError.malformed(url, "it is not UTF-8 text.")
    }
    // Use a stream, because the parser rejects ten million bytes or more as damaged if it receives them in one piece.
    let parser = XMLParser(stream: InputStream(data: data))
    // An untrusted file must not make the program read other files.
    parser.shouldResolveExternalEntities = false
    let reader = XMLTreeReader()
    parser.delegate = reader
    let isComplete = parser.parse()
    if reader.isTooDeep {
      throw ModelFileError.malformed(
        url, "its elements are nested deeper than \(XMLTreeReader.deepestNesting) levels.")
    }
    // For a truncated document, Foundation's parser returns true and still sets an error.
    guard isComplete, parser.parserError == nil, reader.open.isEmpty, let root = reader.root else {
      let reason = parser.parserError?.localizedDescription ?? "The document is empty."
      throw ModelFileError.malformed(
        url, "line \(parser.lineNumber): not well-formed XML. \(reason)")
    }
    return root
  }
}

/// Reads an XML document into a tree of nodes.
private final class XMLTreeReader: NSObject, XMLParserDelegate {
  var root: XMLNode?
  var open: [XMLNode] = []
  var isTooDeep = false

  /// The maximum nesting depth: far deeper than any model, and shallow enough for recursion.
  static let deepestNesting = 64

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    let node = XMLNode(name: elementName, attributes: attributes, line: parser.lineNumber)
    if let parent = open.last {
      parent.children.append(node)
    } else if root == nil {
      root = node
    }
    open.append(node)
    if open.count > Self.deepestNesting {
      isTooDeep = true
      parser.abortParsing()
    }
  }

  func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
    qualifiedName: String?
  ) {
    if !open.isEmpty { open.removeLast() }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    // Appended, because the parser may deliver a string in several parts.
    open.last?.text += string
  }
}
