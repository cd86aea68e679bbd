/// Reads one version of a model from JSON.
final class ModelJSONReader {
  let url: URL?
  let assembler: ModelAssembler

  init(_ url: URL?) {
    self.url = url
    assembler = ModelAssembler(url: url)
  }

  /// Reads a version into an empty model.
  ///
  /// - Returns: The version's name.
  func read(_ fields: JSONFields, into model: NSManagedObjectModel) throws -> String {
    var fields = fields
    let name = try fields.requiredText("name")
    model.versionIdentifiers = Set(try fields.texts("identifiers") ?? [])
    for var entity in try fields.objects("entities") { try readEntity(&entity) }
    for var request in try fields.objects("fetchRequests") {
      let template = try readFetchRequest(&request)
      guard model.fetchRequestTemplates.updateValue(template, forKey: template.name) == nil else {
        throw request.failure("name", "the fetch request '\(template.name)' occurs twice.")
      }
    }
    model.configurationTable = try fields.objects("configurations", readConfiguration)
    model.composites = try readComposites(&fields)
    model.localizationDictionary = try fields.textTable("localization")
    model.compiler = try fields.object("compiler") { compiler in
      ModelCompiler(
        toolVersion: try compiler.real("toolVersion"),
        xcodeVersion: try compiler.integer("xcodeVersion"))
    }
    model.document = try fields.object("editor", readEditor)
    try fields.finish()
    // Fill composite attributes after reading all entities and composites, because an attribute may
    // refer to a composite that follows it.
    try fillComposites(from: model.composites)
    model.entities = try assembler.assemble()
    try assembler.check(model)
    model.unrecognized = ModelTexts.unreadable(in: model)
    return name
  }

  private func readConfiguration(_ fields: inout JSONFields) throws -> ModelConfiguration {
    var configuration = ModelConfiguration(name: try fields.requiredText("name"), entityNames: [])
    configuration.isUsedWithCloudKit = try fields.truth("usedWithCloudKit") ?? false
    configuration.entityNames = try fields.texts("entities") ?? []
    return configuration
  }

  private func readEditor(_ editor: inout JSONFields) throws -> ModelDocument {
    var document = ModelDocument()
    document.attributes = try editor.textTable("attributes") ?? [:]
    document.cards = try editor.objects("diagram") { card in
      let name = try card.requiredText("entity")
      var frame: [String: String] = [:]
      for side in ModelDocument.Card.sides { frame[side] = try card.text(side) }
      return ModelDocument.Card(entityName: name, frame: frame)
    }
    if let lines = try editor.texts("source") {
      document.source = Data(lines.joined(separator: "\n").utf8)
    }
    return document
  }

  /// Reads a user info dictionary.
  func readUserInfo(_ fields: inout JSONFields) throws -> [AnyHashable: Any] {
    if let info = try fields.textTable("userInfo") { return info }
    guard let data = try fields.data("userInfoArchive") else { return [:] }
    guard let archive = try? KeyedArchive(data: data),
      let info = archive.swiftValue(.uid(archive.root)) as? [AnyHashable: Any]
    else { throw fields.failure("userInfoArchive", "it is not an archive of a dictionary.") }
    return info
  }

  /// Composite attributes that are filled after all composites have been read, with their paths in the file.
  var pendingComposites: [(attribute: NSCompositeAttributeDescription, place: String)] = []
}
