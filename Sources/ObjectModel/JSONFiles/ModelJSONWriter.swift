/// Writes one version of a model as JSON.
struct ModelJSONWriter {
  let url: URL?

  func version(_ version: VersionedModel.Version) throws -> JSONValue {
    let model = version.model
    var object = JSONObject()
    object.add("name", version.name)
    object.add("identifiers", unlessEmpty: try identifiers(of: model))
    object.add("entities", .list(try model.entities.map(entity)))
    let templates = model.fetchRequestTemplates.values.sorted { $0.name.isBefore($1.name) }
    object.add("fetchRequests", unlessEmpty: try templates.map { try fetchRequest($0) })
    object.add("configurations", unlessEmpty: model.configurationTable.map(configuration))
    object.add("composites", unlessEmpty: try model.composites.map(composite))
    object.add("localization", model.explicitLocalization.map(JSONValue.textTable))
    if let compiler = model.compiler { object.add("compiler", Self.compiler(compiler)) }
    if let document = model.document { object.add("editor", try editor(document, of: model)) }
    return object.value
  }

  private func identifiers(of model: NSManagedObjectModel) throws -> [JSONValue] {
    try model.versionIdentifiers.map { identifier in
      guard let text = identifier.base as? String else {
        throw ModelFileError.invalid(
          url, "the version identifier '\(identifier.base)' is not a string, which JSON requires.")
      }
      return text
    }.sorted { $0.isBefore($1) }.map { .text($0) }
  }

  private func configuration(_ configuration: ModelConfiguration) -> JSONValue {
    var object = JSONObject()
    object.add("name", configuration.name)
    object.add("usedWithCloudKit", configuration.isUsedWithCloudKit, unless: false)
    object.add("entities", .texts(configuration.entityNames))
    return object.value
  }

  private func composite(_ composite: ModelComposite) throws -> JSONValue {
    var object = JSONObject()
    object.add("name", composite.name)
    object.add(
      "elements", .list(try composite.elements.map { try property($0, of: composite.name) }))
    return object.value
  }

  private static func compiler(_ compiler: ModelCompiler) -> JSONValue {
    var object = JSONObject()
    object.add("toolVersion", compiler.toolVersion.map { .number("\($0)") })
    object.add("xcodeVersion", compiler.xcodeVersion.map { .number($0) })
    return object.value
  }

  /// Returns the model editor's data, and the source file's text if the model alone does not reproduce it.
  private func editor(
    _ document: ModelDocument, of model: NSManagedObjectModel
  ) throws -> JSONValue {
    var object = JSONObject()
    object.add("attributes", .textTable(document.attributes))
    object.add(
      "diagram",
      unlessEmpty: document.cards.map { card in
        var object = JSONObject()
        object.add("entity", card.entityName)
        for side in ModelDocument.Card.sides { object.add(side, card.frame[side]) }
        return object.value
      })
    let text = (try? ContentsWriter.write(model)) ?? document.source
    // The source's text is large, so it is left out if the model alone reproduces it.
    if document.source != nil, let text, text != (try? ContentsWriter.writePlain(model)) {
      let lines = String(decoding: text, as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false)
      object.add("source", .texts(lines.map(String.init)))
    }
    return object.value
  }

  /// Adds a user info dictionary.
  func addUserInfo(
    _ info: [AnyHashable: Any]?, to object: inout JSONObject, entity: String,
    property: String? = nil
  ) throws {
    guard let info, !info.isEmpty else { return }
    if let table = info as? [String: String] {
      object.add("userInfo", .textTable(table))
    } else {
      object.add("userInfoArchive", try archive(info, entity: entity, property: property))
    }
  }

  /// Returns a value that JSON cannot represent, as a keyed archive in base64.
  func archive(_ value: Any, entity: String, property: String?) throws -> JSONValue {
    let archive = try ArchivedModelWriter.archive(
      value, of: entity, property: property, for: url)
    return .text(archive.data().base64EncodedString())
  }
}
