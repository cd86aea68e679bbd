import FoundationXML

/// Reads an XML store of Apple's Core Data or of this library.
///
/// The types of attributes come from the model instead of the file. A property that the model lacks is an error,
/// because the next save would lose its values.
final class XMLStoreReader: NSObject, XMLParserDelegate {
  private let url: URL
  private let layouts: [String: EntityLayout]
  private var slots: [Int: [String: PropertySlot]] = [:]
  private var document: StoreDocument
  private var keys: Set<Int64> = []
  private var object: StoreDocument.Object?
  private var attribute: PropertySlot?
  private var isBase64 = false
  private var text = ""
  private var problem: NSError?
  private var depth = 0
  private var isClosed = false

  private init(_ url: URL, _ model: ModelLayout, _ document: StoreDocument) {
    self.url = url
    self.document = document
    // The file contains names of entities in uppercase, and names of properties in lowercase.
    layouts = Dictionary(
      model.entities.map { ($0.name.uppercased(), $0) }, uniquingKeysWith: { first, _ in first })
  }

  static func read(_ data: Data, _ url: URL, _ model: ModelLayout) throws -> StoreDocument {
    // Foundation's parser stops the program at a name that is not valid UTF-8.
    guard String(validating: data, as: UTF8.self) != nil else {
      throw StoreErrors.notAStore(url, "it is not UTF-8 text")
    }
    let header = try XMLStoreHeader(data, url)
    let reader = XMLStoreReader(
      url, model, StoreDocument(metadata: header.metadata, nextKey: header.nextKey))
    // Foundation's parser rejects ten million bytes as damaged unless it reads them from a stream.
    let parser = XMLParser(stream: InputStream(data: data))
    // The document type refers to a file on Apple's systems, and an XML entity could refer to any other
    // file.
    parser.shouldResolveExternalEntities = false
    parser.delegate = reader
    let isComplete = parser.parse()
    if let problem = reader.problem { throw problem }
    // Foundation's parser does not report some files that are truncated.
    guard isComplete, parser.parserError == nil, reader.isClosed else {
      throw StoreErrors.damaged(
        url, "line \(parser.lineNumber): not well-formed XML", cause: parser.parserError)
    }
    // In Apple's files the header contains the number of the last object, in this library's files that of the next one.
    reader.document.reserveKeys(through: reader.keys.max() ?? 0)
    return reader.document
  }

  private func fail(_ parser: XMLParser, _ message: String) {
    if problem == nil {
      problem = StoreErrors.damaged(url, "line \(parser.lineNumber): \(message)")
    }
    parser.abortParsing()
  }

  private func slot(_ name: String, of layout: EntityLayout) -> PropertySlot? {
    if slots[layout.index] == nil {
      slots[layout.index] = Dictionary(
        layout.slots.map { ($0.name.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
    }
    return slots[layout.index]?[name.lowercased()]
  }

  private static func key(_ id: some StringProtocol) -> Int64? {
    guard id.first == "z", let key = Int64(id.dropFirst()), key > 0 else { return nil }
    return key
  }

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    text = ""
    depth += 1
    switch elementName {
    case "object":
      guard object == nil else { return fail(parser, "an object is inside another object") }
      guard let name = attributes["type"], let layout = layouts[name.uppercased()] else {
        return fail(parser, "the model has no entity \(attributes["type"] ?? "without a name")")
      }
      guard let key = attributes["id"].flatMap(Self.key), keys.insert(key).inserted else {
        return fail(parser, "an object's id is missing, invalid or not unique")
      }
      object = StoreDocument.Object(layout: layout, key: key)
    case "attribute":
      guard let layout = object?.layout, let name = attributes["name"],
        let slot = slot(name, of: layout), slot.storage != nil
      else {
        return fail(parser, "the entity has no attribute \(attributes["name"] ?? "without a name")")
      }
      attribute = slot
      isBase64 = attributes["encoding"] == "base64"
    case "relationship":
      guard let layout = object?.layout, let name = attributes["name"],
        let slot = slot(name, of: layout), slot.relationship != nil
      else {
        return fail(
          parser, "the entity has no relationship \(attributes["name"] ?? "without a name")")
      }
      let words = (attributes["idrefs"] ?? "").split(whereSeparator: \.isWhitespace)
      let references = words.compactMap { Self.key($0) }
      guard references.count == words.count else {
        return fail(parser, "relationship \(slot.name) contains an invalid id")
      }
      object?.relationships.append((slot.index, references))
    default: break
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    // The parser may deliver a string in several pieces.
    if attribute != nil { text += string }
  }

  func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
    qualifiedName: String?
  ) {
    depth -= 1
    isClosed = depth == 0 && elementName == "database"
    switch elementName {
    case "attribute":
      guard let slot = attribute else { return }
      attribute = nil
      guard let value = value(slot) else {
        return fail(
          parser,
          "the value of \(slot.name) is not a valid \(slot.storage.map { "\($0)" } ?? "value")")
      }
      object?.attributes.append((slot.index, value))
    case "object":
      if let object { document.objects.append(object) }
      object = nil
    default: break
    }
  }

  private func value(_ slot: PropertySlot) -> StoredValue? {
    var text = text
    if isBase64 {
      guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters),
        let decoded = String(validating: data, as: UTF8.self)
      else { return nil }
      text = decoded
    }
    // White space around a value is part of it only in a string.
    let word = text.trimmingCharacters(in: .whitespacesAndNewlines)
    switch slot.storage {
    case .integer16, .integer32, .integer64: return Int64(word).map(StoredValue.integer)
    case .boolean:
      switch word.lowercased() {
      case "1", "true", "yes": return .integer(1)
      case "0", "false", "no": return .integer(0)
      default: return nil
      }
    case .double, .float, .date: return Double(word).map(StoredValue.double)
    case .decimal:
      let number = NSDecimalNumber(column: word)
      return number == .notANumber && word.lowercased() != "nan" ? nil : .decimal(number)
    case .string: return .text(text)
    case .uuid: return UUID(uuidString: word).map(StoredValue.uuid)
    case .uri: return URL(string: word).map(StoredValue.uri)
    default:
      return Data(base64Encoded: text, options: .ignoreUnknownCharacters).map(StoredValue.data)
    }
  }
}
