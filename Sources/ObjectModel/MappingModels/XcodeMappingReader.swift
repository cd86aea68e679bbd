/// Reads mapping models as Xcode keeps them (`xcmapping.xml`), and says what its compiler makes of them.
///
/// The file is an XML store with objects of Xcode's own entities, and holds archives of both models as
/// they were when the mapping was made. What nobody wrote in the editor is not in the file: it follows
/// from the two models.
struct XcodeMappingReader {
  private let objects: [XcodeMappingObject]
  private let byID: [String: XcodeMappingObject]
  private let source: NSManagedObjectModel?
  private let destination: NSManagedObjectModel?
  /// What is unusual in the file, as sentences.
  let notices: [String]

  init(_ data: Data, from url: URL) throws {
    let root = try XMLNode.read(data, from: url)
    guard root.name == "database" else {
      throw MappingFailure(reason: "it is no mapping model of Xcode's")
    }
    objects = root.children.filter { $0.name == "object" }.map(XcodeMappingObject.init)
    byID = Dictionary(objects.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    guard let model = objects.first(where: { $0.type == "XDDEVMAPPINGMODEL" }) else {
      throw MappingFailure(reason: "it is no mapping model of Xcode's")
    }
    var notices: [String] = []
    source = Self.model(try model.data("sourcemodeldata"), "source", &notices)
    destination = Self.model(try model.data("destinationmodeldata"), "destination", &notices)
    self.notices = notices
  }

  /// A mapping without its models is matched by names.
  private static func model(
    _ data: Data?, _ role: String, _ notices: inout [String]
  ) -> NSManagedObjectModel? {
    guard let data else {
      notices.append(
        "the mapping model has no copy of the \(role) model: entities are matched by their names alone"
      )
      return nil
    }
    do {
      return try NSManagedObjectModel(archive: data)
    } catch {
      notices.append(
        "the mapping model's copy of the \(role) model cannot be read, so that entities are matched by"
          + " their names alone: \(error.localizedDescription)")
      return nil
    }
  }

  /// The mappings of entities, in the order in which they are to be executed.
  func mappings() throws -> [NSEntityMapping] {
    let entries = objects.filter { $0.type == "XDDEVENTITYMAPPING" }
      .sorted { $0.number("mappingnumber") < $1.number("mappingnumber") }
    let plans = entries.map(XcodeEntityMapping.init)
    let hashes = (
      source: source?.entityVersionHashesByName ?? [:],
      destination: destination?.entityVersionHashesByName ?? [:]
    )
    let mappings = plans.map { plan in
      let mapping = NSEntityMapping()
      mapping.name = plan.name
      mapping.sourceEntityName = plan.source
      mapping.destinationEntityName = plan.destination
      mapping.sourceEntityVersionHash = plan.source.flatMap { hashes.source[$0] }
      mapping.destinationEntityVersionHash = plan.destination.flatMap { hashes.destination[$0] }
      return mapping
    }
    try MappingFailure.naming(mappings) {
      for (mapping, plan) in zip(mappings, plans) { try complete(mapping, plan, of: plans) }
    }
    return mappings
  }

  private func complete(
    _ mapping: NSEntityMapping, _ plan: XcodeEntityMapping, of plans: [XcodeEntityMapping]
  ) throws {
    mapping.entityMigrationPolicyClassName = plan.object.text("migrationpolicyclassname")
    mapping.userInfo = try userInfo(of: plan.object)
    mapping.sourceExpression = try sourceExpression(of: plan)
    let attributes = related(plan.object, "attributemappings")
    let relationships = related(plan.object, "relationshipmappings")
    mapping.attributeMappings = try attributes.map { try attributeMapping($0, in: plan) }
    mapping.relationshipMappings = try relationships.map {
      try relationshipMapping($0, in: plan, of: plans)
    }
    mapping.mappingType = type(of: mapping, isWritten: isWritten(attributes + relationships))
  }

  /// The mappings of an entity's properties, by name.
  private func related(_ object: XcodeMappingObject, _ name: String) -> [XcodeMappingObject] {
    (object.references[name] ?? []).compactMap { byID[$0] }
      .sorted { ($0.text("name") ?? "").isBefore($1.text("name") ?? "") }
  }

  /// Whether somebody wrote an expression that Xcode did not propose.
  private func isWritten(_ properties: [XcodeMappingObject]) -> Bool {
    properties.contains {
      $0.values["valueexpressiondata"] != nil && $0.number("autogenerateexpression") == 0
    }
  }

  private func type(of mapping: NSEntityMapping, isWritten: Bool) -> NSEntityMappingType {
    if mapping.entityMigrationPolicyClassName != nil { return .customEntityMappingType }
    if mapping.sourceEntityName == nil { return .addEntityMappingType }
    if mapping.destinationEntityName == nil { return .removeEntityMappingType }
    return isWritten ? .transformEntityMappingType : .copyEntityMappingType
  }

  private func userInfo(of object: XcodeMappingObject) throws -> [AnyHashable: Any]? {
    guard let data = try object.data("userinfodata") else { return nil }
    let archive = try KeyedArchive(data: data)
    return archive.swiftValue(.uid(archive.root)) as? [AnyHashable: Any]
  }

  // MARK: Expressions

  private func sourceExpression(of plan: XcodeEntityMapping) throws -> Predicates.NSExpression? {
    if let data = try plan.object.data("sourceexpressiondata") {
      return try ArchivedExpression.read(data)
    }
    guard let name = plan.source else { return nil }
    return MappingExpressions.objects(
      ofEntity: name,
      predicate: plan.object.text("sourcefilterpredicatestring") ?? "TRUEPREDICATE")
  }

  private func propertyMapping(
    _ object: XcodeMappingObject, _ expression: Predicates.NSExpression?
  ) throws -> NSPropertyMapping {
    let mapping = NSPropertyMapping()
    mapping.name = object.text("name")
    mapping.valueExpression =
      try object.data("valueexpressiondata").flatMap(ArchivedExpression.read) ?? expression
    mapping.userInfo = try userInfo(of: object)
    return mapping
  }

  private func attributeMapping(
    _ object: XcodeMappingObject, in plan: XcodeEntityMapping
  ) throws -> NSPropertyMapping {
    let name = object.text("name") ?? ""
    try requireMeaning(object, in: plan, isRelationship: false)
    let isThere = entity(plan.source, in: source)?.attributesByName[name] != nil
    return try propertyMapping(
      object, isThere ? MappingExpressions.value(forKeyPath: name) : nil)
  }

  /// Without an expression a mapping means what follows from the two models: without their copies it would
  /// mean nothing, and values would be left out.
  private func requireMeaning(
    _ object: XcodeMappingObject, in plan: XcodeEntityMapping, isRelationship: Bool
  ) throws {
    if object.values["valueexpressiondata"] != nil || plan.source == nil { return }
    guard source == nil || isRelationship && destination == nil else { return }
    let role = source == nil ? "source" : "destination"
    throw MappingFailure(
      reason: "it has no copy of the \(role) model that could be read, from which follows what"
        + " '\(plan.name)' does with '\(object.text("name") ?? "")'")
  }

  private func entity(_ name: String?, in model: NSManagedObjectModel?) -> NSEntityDescription? {
    guard let name else { return nil }
    return model?.entitiesByName[name]
  }

  private func relationshipMapping(
    _ object: XcodeMappingObject, in plan: XcodeEntityMapping, of plans: [XcodeEntityMapping]
  ) throws -> NSPropertyMapping {
    let name = object.text("name") ?? ""
    try requireMeaning(object, in: plan, isRelationship: true)
    let relationship = entity(plan.source, in: source)?.relationshipsByName[name]
    let target = entity(plan.destination, in: destination)?.relationshipsByName[name]?
      .destinationEntity
    let path = try object.text("sourcekeypath").map { try NSExpression(validating: $0) }
    if let mapping = object.text("sourcemappingname") {
      guard
        let sources = path ?? relationship.map({ MappingExpressions.value(forKeyPath: $0.name) })
      else { return try propertyMapping(object, nil) }
      return try propertyMapping(
        object, MappingExpressions.instances(ofMapping: mapping, sources: sources))
    }
    guard let origin = relationship?.destinationEntity else {
      return try propertyMapping(object, nil)
    }
    let sources = path ?? MappingExpressions.value(forKeyPath: name)
    // Whoever makes objects that the relationship may lead to, of objects that it led to.
    let makers = plans.filter { plan in
      guard let from = entity(plan.source, in: source), from.isKindOf(entity: origin),
        let to = entity(plan.destination, in: destination), let target
      else { return false }
      return to.isKindOf(entity: target)
    }
    switch makers.count {
    case 0: return try propertyMapping(object, nil)
    case 1:
      return try propertyMapping(
        object, MappingExpressions.instances(ofMapping: makers[0].name, sources: sources))
    default:
      return try propertyMapping(object, MappingExpressions.instances(ofRelationship: name))
    }
  }
}

/// The mapping of an entity, as the editor shows it.
private struct XcodeEntityMapping {
  let object: XcodeMappingObject
  let source: String?
  let destination: String?
  let name: String

  init(_ object: XcodeMappingObject) {
    self.object = object
    source = object.text("sourcename")
    destination = object.text("destinationname")
    name =
      object.text("name")
      ?? [source, destination].compactMap(\.self).joined(separator: "To")
  }
}

/// An object of the XML store that a mapping model is.
private struct XcodeMappingObject {
  let id: String
  let type: String
  let values: [String: String]
  let references: [String: [String]]

  init(_ node: XMLNode) {
    id = node["id"] ?? ""
    type = (node["type"] ?? "").uppercased()
    var values: [String: String] = [:]
    var references: [String: [String]] = [:]
    for child in node.children {
      guard let name = child["name"]?.lowercased() else { continue }
      switch child.name {
      case "attribute": values[name] = child.text
      case "relationship":
        references[name] = (child["idrefs"] ?? "").split(whereSeparator: \.isWhitespace)
          .map(String.init)
      default: break
      }
    }
    self.values = values
    self.references = references
  }

  /// A text; nil for an empty one, which is what the editor leaves where somebody deleted it.
  func text(_ name: String) -> String? {
    guard let text = values[name], !text.isEmpty else { return nil }
    return text
  }

  func number(_ name: String) -> Int { values[name].flatMap { Int($0) } ?? 0 }

  func data(_ name: String) throws -> Data? {
    guard let text = values[name] else { return nil }
    guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
      throw MappingFailure(reason: "the value of \(name) of object \(id) is not base64")
    }
    return data.isEmpty ? nil : data
  }
}
