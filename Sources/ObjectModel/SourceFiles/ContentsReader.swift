/// Reads a model's source: the `contents` XML of an `.xcdatamodel`.
///
/// A ``ModelAssembler`` resolves names after the whole file has been read. Unknown content is recorded in
/// ``NSManagedObjectModel/unrecognized`` with its line.
final class ContentsReader {
  let url: URL?
  let assembler: ModelAssembler
  var unrecognized: [String] = []
  /// Composite attributes that are filled after all composites have been read.
  var pendingComposites: [(NSCompositeAttributeDescription, entity: String)] = []

  private init(url: URL?) {
    self.url = url
    assembler = ModelAssembler(url: url)
  }

  /// Reads a document into an empty model.
  static func read(_ data: Data, from url: URL?, into model: NSManagedObjectModel) throws {
    let root = try XMLNode.read(data, from: url)
    guard root.name == "model" else {
      throw ModelFileError.malformed(url, "its root element is <\(root.name)>, not <model>.")
    }
    try ContentsReader(url: url).read(root, into: model)
    // The complete text, into which a writer merges changes.
    model.document?.source = data
  }

  private func read(_ root: XMLNode, into model: NSManagedObjectModel) throws {
    var document = ModelDocument()
    readHeader(root, into: model, document: &document)
    var composites: [ModelComposite] = []
    for node in root.children {
      switch node.name {
      case "entity": try readEntity(node)
      case "fetchRequest":
        let template = try readFetchRequest(node, entity: nil)
        guard model.fetchRequestTemplates.updateValue(template, forKey: template.name) == nil else {
          throw ModelFileError.invalid(url, "the fetch request '\(template.name)' occurs twice.")
        }
      case "configuration": model.configurationTable.append(try readConfiguration(node))
      case "composite": composites.append(try readComposite(node))
      case "elements": document.cards = readCards(node)
      default: noteUnknownElement(node, in: "the model")
      }
    }
    var names: Set<String> = []
    for composite in composites where !names.insert(composite.name).inserted {
      throw ModelFileError.invalid(url, "the composite '\(composite.name)' occurs twice.")
    }
    // Fill composite attributes after reading the whole file, because an attribute may refer to a
    // composite that follows it.
    try fillComposites(from: composites)
    model.composites = composites
    model.document = document
    model.entities = try assembler.assemble()
    try assembler.check(model)
    // This comes at the end, because reading an attribute is what marks it as known.
    recordUnread(root, in: "the model")
    model.unrecognized = unrecognized + ModelTexts.unreadable(in: model)
  }

  private func readHeader(
    _ root: XMLNode, into model: NSManagedObjectModel, document: inout ModelDocument
  ) {
    for name in DocumentAttributes.kept {
      if let value = root[name] { document.attributes[name] = value }
    }
    if let identifier = root["userDefinedModelVersionIdentifier"] {
      model.versionIdentifiers = [identifier]
    }
  }

  private func readConfiguration(_ node: XMLNode) throws -> ModelConfiguration {
    let name = try required("name", of: node, entity: nil)
    var configuration = ModelConfiguration(name: name, entityNames: [])
    configuration.isUsedWithCloudKit = node.flag("usedWithCloudKit") ?? false
    let place = "configuration '\(name)'"
    configuration.entityNames = try children("memberEntity", of: node, in: place) { member in
      defer { recordUnread(member, in: place) }
      return try required("name", of: member, entity: nil)
    }
    recordUnread(node, in: place)
    return configuration
  }

  private func readCards(_ node: XMLNode) -> [ModelDocument.Card] {
    children("element", of: node, in: "the diagram") { card in
      var frame: [String: String] = [:]
      for side in ModelDocument.Card.sides { frame[side] = card[side] }
      let name = card["name"] ?? ""
      recordUnread(card, in: "the diagram")
      return ModelDocument.Card(entityName: name, frame: frame)
    }
  }

  /// Returns the value of an attribute that must exist and not be empty.
  func required(_ attribute: String, of node: XMLNode, entity: String?) throws -> String {
    guard let value = node.nonempty(attribute) else {
      throw ModelFileError.invalid(
        url, entity: entity, property: node.attributes["name"],
        "<\(node.name)> in line \(node.line) has no '\(attribute)'.")
    }
    return value
  }

  func recordUnread(_ node: XMLNode, in place: String) {
    for attribute in node.unreadNames {
      unrecognized.append(
        "line \(node.line): attribute '\(attribute)' of <\(node.name)> in \(place)")
    }
    if node.text.contains(where: { !$0.isWhitespace }) {
      unrecognized.append("line \(node.line): text within <\(node.name)> in \(place)")
    }
  }

  /// Reads the child elements with a name, and records all other child elements as unrecognized.
  func children<Element>(
    _ name: String, of node: XMLNode, in place: String, _ read: (XMLNode) throws -> Element?
  ) rethrows -> [Element] {
    try node.children.compactMap { child in
      if child.name == name { return try read(child) }
      noteUnknownElement(child, in: place)
      return nil
    }
  }

  func noteUnknownElement(_ node: XMLNode, in place: String) {
    unrecognized.append("line \(node.line): element <\(node.name)> in \(place)")
  }
}

/// The attributes of a source file's root element.
enum DocumentAttributes {
  /// The attributes that describe the file and its editor instead of the entities. They are stored as texts.
  static let kept = [
    "name", "type", "documentVersion", "lastSavedToolsVersion", "systemVersion",
    "minimumToolsVersion", "sourceLanguage", "usedWithCloudKit", "usedWithSwiftData",
    "macOSVersion", "iOSVersion", "tvOSVersion", "watchOSVersion", "visionOSVersion",
  ]
}
