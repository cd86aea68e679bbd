/// Writes a model's source: the `contents` XML of an `.xcdatamodel`.
///
/// A model that was read from such a file is written into the text that was read: what did not change
/// stays as it is, to the last character, what the reader does not understand included. Other models
/// are written in the form of the present Xcode.
struct ContentsWriter {
  let url: URL?
  /// The groups of elements that composite attributes name, in the order of the file.
  var composites: [ModelComposite] = []
  /// The names that composite attributes which have none get.
  var compositeNames: [ObjectIdentifier: String] = [:]

  /// The text of a model.
  ///
  /// - Parameter url: The file to be written, for errors.
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, code 134060, that names the entity and property
  ///   of which a source file cannot hold something.
  static func write(_ model: NSManagedObjectModel, to url: URL? = nil) throws -> Data {
    let new = try element(of: model, for: url)
    guard let source = model.document?.source,
      let before = try? NSManagedObjectModel(contents: source),
      let old = try? element(of: before, for: url), var text = SourceText(source)
    else { return Data(SourceText(new).text.utf8) }
    text.root.apply(changesFrom: old, to: new, indentation: "\n")
    return Data(text.text.utf8)
  }

  /// The text of a model as Xcode would write it, without a look at the text that was read.
  static func writePlain(_ model: NSManagedObjectModel) throws -> Data {
    Data(SourceText(try element(of: model, for: nil)).text.utf8)
  }

  private static func element(of model: NSManagedObjectModel, for url: URL?) throws -> ModelElement
  {
    var writer = ContentsWriter(url: url)
    return try writer.root(model)
  }

  private mutating func root(_ model: NSManagedObjectModel) throws -> ModelElement {
    nameComposites(of: model)
    var root = ModelElement("model")
    root.attributes = header(of: model)
    root.children = try model.entities.map(entity)
    for template in model.fetchRequestTemplates.values.sorted(by: { $0.name.isBefore($1.name) }) {
      root.children.append(try fetchRequest(template, entity: nil, property: nil))
    }
    root.children += model.configurationTable.map(configuration)
    root.children += try composites.map(composite)
    if let cards = model.document?.cards, !cards.isEmpty { root.children.append(diagram(cards)) }
    try checkCharacters(root)
    return root
  }

  private func configuration(_ configuration: ModelConfiguration) -> ModelElement {
    var element = ModelElement("configuration", ["name": configuration.name])
    element.add("usedWithCloudKit", if: configuration.isUsedWithCloudKit)
    element.children = configuration.entityNames.map { ModelElement("memberEntity", ["name": $0]) }
    return element
  }

  private func diagram(_ cards: [ModelDocument.Card]) -> ModelElement {
    let elements = cards.map { card in
      var element = ModelElement("element", ["name": card.entityName])
      for side in ModelDocument.Card.sides { element.add(side, card.frame[side]) }
      return element
    }
    return ModelElement("elements", children: elements)
  }

  /// Refuses a text that XML has no way to write.
  private func checkCharacters(_ element: ModelElement) throws {
    for attribute in element.attributes where !XMLAttributeText.canHold(attribute.value) {
      throw ModelFileError.invalid(
        url,
        "'\(attribute.name)' of <\(element.name)> '\(element["name"] ?? "")' has a control character, "
          + "which XML cannot hold.")
    }
    for child in element.children { try checkCharacters(child) }
  }

  /// What a user info, sorted as Xcode sorts it, looks like; nil for none.
  func userInfo(
    _ info: [AnyHashable: Any]?, entity: String, property: String? = nil
  ) throws -> ModelElement? {
    guard let info, !info.isEmpty else { return nil }
    let entries = try info.map { key, value in
      guard let key = key.base as? String, let value = value as? String else {
        throw cannotHold("the user info under '\(key.base)', which is no text", entity, property)
      }
      return (key: key, value: value)
    }
    let children = entries.sorted { EditorOrder.isBefore($0.key, $1.key) }.map { entry in
      ModelElement("entry", ["key": entry.key, "value": entry.value])
    }
    return ModelElement("userInfo", children: children)
  }

  func cannotHold(_ what: String, _ entity: String?, _ property: String?) -> NSError {
    ModelFileError.invalid(
      url, entity: entity, property: property, "a source model cannot hold \(what).")
  }
}

/// The order in which the model editor sorts names.
enum EditorOrder {
  /// Whether a name comes first: without regard to case, by bytes where that makes no difference.
  static func isBefore(_ one: String, _ other: String) -> Bool {
    let folded = (one.lowercased(), other.lowercased())
    return folded.0 == folded.1 ? one.isBefore(other) : folded.0.isBefore(folded.1)
  }
}
