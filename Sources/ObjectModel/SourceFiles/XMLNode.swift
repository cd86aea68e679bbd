import FoundationXML

/// An element of an XML document that records which of its attributes were read.
///
/// What was not read is what the reader did not understand.
package final class XMLNode {
  /// The element's name.
  package let name: String
  let attributes: [String: String]
  /// The line in the file.
  package let line: Int
  /// The elements in it.
  package fileprivate(set) var children: [XMLNode] = []
  /// The text in it.
  package fileprivate(set) var text = ""
  private var readNames: Set<String> = []

  fileprivate init(name: String, attributes: [String: String], line: Int) {
    self.name = name
    self.attributes = attributes
    self.line = line
  }

  /// The value of an attribute, or nil.
  package subscript(_ attribute: String) -> String? {
    readNames.insert(attribute)
    return attributes[attribute]
  }

  /// The value of an attribute, nil also where it is empty.
  func nonempty(_ attribute: String) -> String? {
    guard let value = self[attribute], !value.isEmpty else { return nil }
    return value
  }

  /// The truth of an attribute that says `YES` or `NO`; nil where it says nothing.
  ///
  /// A text that is neither is left as not understood.
  func flag(_ attribute: String) -> Bool? {
    let value: Bool
    switch attributes[attribute] {
    case "YES", "true", "1": value = true
    case "NO", "false", "0": value = false
    default: return nil
    }
    readNames.insert(attribute)
    return value
  }

  /// The attributes that were never read, in the order of their names.
  var unreadNames: [String] {
    attributes.keys.filter { !readNames.contains($0) }.sorted()
  }
}

extension XMLNode {
  /// The root element of a document.
  ///
  /// - Throws: An error that names the file and the line.
  package static func read(_ data: Data, from url: URL?) throws -> XMLNode {
    // Foundation's parser stops the program at a name that is no valid UTF-8.
    guard String(validating: data, as: UTF8.self) != nil else {
      throw ModelFileError.malformed(url, "it is not UTF-8 text.")
    }
    // In portions: of ten million bytes at once the parser says that they are damaged.
    let parser = XMLParser(stream: InputStream(data: data))
    parser.shouldResolveExternalEntities = false
    let reader = XMLTreeReader()
    parser.delegate = reader
    let isWhole = parser.parse()
    if reader.isTooDeep {
      throw ModelFileError.malformed(
        url, "its elements are nested more than \(XMLTreeReader.deepestNesting) deep.")
    }
    // Foundation's parser calls a document whole that ends too early, and has an error all the same.
    guard isWhole, parser.parserError == nil, reader.open.isEmpty, let root = reader.root else {
      let reason = parser.parserError?.localizedDescription ?? "it has no content."
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

  /// Far deeper than any model, and shallow enough for recursive walks.
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
    open.last?.text += string
  }
}
