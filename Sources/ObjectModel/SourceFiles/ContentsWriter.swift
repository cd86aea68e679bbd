/// Writes a model's source: the `contents` XML of an `.xcdatamodel`.
///
/// If the model was read from such a file, its changes are merged into the text that was read, so that the rest
/// stays the same to the last character, including unrecognized content. Other models are written in the format
/// of the current Xcode.
struct ContentsWriter {
  let url: URL?
  /// The composites, in the order of the file.
  var composites: [ModelComposite] = []
  /// The names of the composites by composite attribute.
  var compositeNames: [ObjectIdentifier: String] = [:]

  /// Returns the text of a model.
  ///
  /// - Parameter url: The destination file, for error messages.
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, code 134060, that identifies the content that a source file cannot
  ///   represent.
  static func write(_ model: NSManagedObjectModel, to url: URL? = nil) throws -> Data {
    let new = try element(of: model, for: url)
    // If there is no text into which changes can be merged, write the whole file in Xcode's format.
    guard let source = model.document?.source,
      // Content that the reader does not recognize is neither in the old nor in the new element, so the
      // merge preserves it.
      let before = try? NSManagedObjectModel(contents: source),
      let old = try? element(of: before, for: url), var text = SourceText(source)
    else { return Data(SourceText(new).text.utf8) }
    text.root.apply(changesFrom: old, to: new, indentation: "\n")
    return Data(text.text.utf8)
  }

  /// Returns the text of a model in Xcode's format, without merging it into the text that was read.
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
    // Sort the templates, because a dictionary has no order and equal models must have equal texts.
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

  /// Throws for a string that XML cannot represent.
  private func checkCharacters(_ element: ModelElement) throws {
    for attribute in element.attributes where !XMLAttributeText.canHold(attribute.value) {
      throw ModelFileError.invalid(
        url,
        "'\(attribute.name)' of <\(element.name)> '\(element["name"] ?? "")' contains a control character, "
          + "which XML cannot represent.")
    }
    for child in element.children { try checkCharacters(child) }
  }

  /// Returns the element for a user info dictionary, sorted as in Xcode; nil for an empty one.
  func userInfo(
    _ info: [AnyHashable: Any]?, entity: String, property: String? = nil
  ) throws -> ModelElement? {
    guard let info, !info.isEmpty else { return nil }
    let entries = try info.map { key, value in
      guard let key = key.base as? String, let value = value as? String else {
        throw cannotRepresent(
          "the user info under '\(key.base)', which is not a string", entity, property)
      }
      return (key: key, value: value)
    }
    let children = entries.sorted { EditorOrder.isBefore($0.key, $1.key) }.map { entry in
      ModelElement("entry", ["key": entry.key, "value": entry.value])
    }
    return ModelElement("userInfo", children: children)
  }

  func cannotRepresent(_ what: String, _ entity: String?, _ property: String?) -> NSError {
    ModelFileError.invalid(
      url, entity: entity, property: property, "a source model cannot represent \(what).")
  }
}

/// The sort order of names in the model editor.
enum EditorOrder {
  /// Returns whether a name precedes another, ignoring case. Names that differ only in case are in byte order.
  static func isBefore(_ one: String, _ other: String) -> Bool {
    let folded = (one.lowercased(), other.lowercased())
    return folded.0 == folded.1 ? one.isBefore(other) : folded.0.isBefore(folded.1)
  }
}
