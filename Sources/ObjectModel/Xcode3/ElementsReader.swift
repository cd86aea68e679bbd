/// Reads a model's source in the format of Xcode 3, which mapping models still embed: a keyed archive
/// of the editor's own objects.
///
/// Entities and properties are UML elements. Core Data's additions to them are in "stereotypes",
/// tables of named values. Unknown content is recorded in
/// ``NSManagedObjectModel/unrecognized``.
final class ElementsReader {
  let archive: KeyedArchive
  let url: URL?
  let assembler: ModelAssembler
  var unrecognized: [String] = []
  var templates: [String: FetchRequestTemplate] = [:]
  var fetchedProperties: [(property: NSFetchedPropertyDescription, place: Int)] = []
  /// The requests of fetched properties, by the properties' indexes in the archive.
  var requestsByProperty: [Int: FetchRequestTemplate] = [:]

  init(archive: KeyedArchive, url: URL?) {
    self.archive = archive
    self.url = url
    assembler = ModelAssembler(url: url)
  }

  func read(_ root: KeyedArchive.Instance, into model: NSManagedObjectModel) throws {
    guard let package = archive.instance(root.fields["_xd_rootPackage"]),
      let entities = archive.entries(package.fields["XDBucketForClassesstorage"])
    else { throw ModelFileError.malformed(url, "the archived model has no entity table.") }
    for entity in entities.compactMap({ archive.instance($0.value) }).sorted(by: isBefore) {
      try readEntity(entity)
    }
    for bucket in ["Packages", "DataTypes", "Interfaces"]
    where !(archive.entries(package.fields["XDBucketFor\(bucket)storage"]) ?? []).isEmpty {
      unrecognized.append("the model's \(bucket)")
    }
    // Connect fetched properties after reading all entities, because a request is stored with the entity
    // that it fetches.
    connectFetchedProperties()
    model.entities = try assembler.assemble()
    model.fetchRequestTemplates = templates
    model.versionIdentifiers = [archive.string(root.fields["_modelVersionIdentifier"]) ?? ""]
    for entry in archive.entries(root.fields["_configurationsByName"]) ?? [] {
      guard let name = archive.string(entry.key) else { continue }
      let members = archive.elements(entry.value) ?? []
      let names = members.compactMap { archive.string($0) ?? elementName($0) }
      model.configurationTable.append(
        ModelConfiguration(name: name, entityNames: names.sorted()))
    }
    try assembler.check(model)
    model.unrecognized = unrecognized + ModelTexts.unreadable(in: model)
  }

  private func isBefore(_ one: KeyedArchive.Instance, _ other: KeyedArchive.Instance) -> Bool {
    let names = [one, other].map { archive.string($0.fields["_name"]) ?? "" }
    return names[0].isBefore(names[1])
  }

  func elementName(_ value: PropertyListValue?) -> String? {
    archive.string(archive.instance(value)?.fields["_name"])
  }

  private func readEntity(_ instance: KeyedArchive.Instance) throws {
    guard instance.className == "XDPMEntity", let name = elementName(.uid(instance.place)) else {
      throw ModelFileError.malformed(url, "an archived entity has no name.")
    }
    let values = ElementValues(instance, archive: archive)
    let entity = NSEntityDescription()
    entity.name = name
    entity.isAbstract =
      values.bool("XD_PSK_isAbstract") ?? archive.bool(instance.fields["_isAbstract"]) ?? false
    entity.representedClassName = values.string("XD_PSK_entityClassName")
    entity.explicitRenamingIdentifier = values.string("XD_PSK_elementID")
    entity.versionHashModifier = values.string("XD_PSK_versionHashModifier")
    entity.userInfo = values.userInfo("XD_PSK_userInfo")
    entity.compoundIndexes = values.nameGroups("XDPMCompoundIndexes")
    entity.uniquenessConstraints = values.nameGroups("XDPMUniquenessConstraints")
    DroppedNames.sourceEntityValues.forEach(values.ignore)
    readFetchRequests(values)
    try assembler.add(entity, parent: parentName(of: instance))
    let properties = archive.entries(instance.fields["XDBucketForOwnedAttributesstorage"]) ?? []
    entity.ownProperties = try properties.compactMap { archive.instance($0.value) }
      .sorted(by: isBefore).map { try readProperty($0, entity: name) }
    unrecognized += values.unreadNames.map { "'\($0)' of the entity '\(name)'" }
    recordUnknownFields(
      of: instance,
      known: [
        "_name", "XDBucketForOwnedAttributesstorage", "XDBucketForGeneralizationsstorage",
        "XDBucketForStereotypesstorage",
      ], place: "the entity '\(name)'")
  }

  func recordUnknownFields(of instance: KeyedArchive.Instance, known: Set<String>, place: String) {
    let unknown = Set(instance.fields.keys).subtracting(known)
      .subtracting(DroppedNames.sourceElement)
    unrecognized += unknown.sorted().map { "key '\($0)' of \(place)" }
  }

  private func parentName(of entity: KeyedArchive.Instance) -> String? {
    let lines = archive.elements(entity.fields["XDBucketForGeneralizationsstorage"]) ?? []
    return lines.lazy.compactMap { line in
      self.elementName(self.archive.instance(line)?.fields["_general"])
    }.first
  }

  private func readProperty(
    _ instance: KeyedArchive.Instance, entity: String
  ) throws -> NSPropertyDescription {
    guard let name = elementName(.uid(instance.place)) else {
      throw ModelFileError.malformed(url, "a property of the entity '\(entity)' has no name.")
    }
    let values = ElementValues(instance, archive: archive)
    let property: NSPropertyDescription
    switch instance.className {
    case "XDPMAttribute": property = try readAttribute(values, name: name, entity: entity)
    case "XDPMRelationship": property = try readRelationship(values, name: name, entity: entity)
    case "XDPMFetchedProperty": property = readFetchedProperty(values, instance)
    default:
      throw ModelFileError.invalid(
        url, entity: entity, property: name,
        "it has the unknown class \(instance.className).")
    }
    property.name = name
    property.isOptional = values.bool("XD_PPSK_isOptional") ?? true
    property.isTransient =
      values.bool("XD_PPSK_isTransient") ?? (property is NSFetchedPropertyDescription)
    property.isIndexed = values.bool("XD_PPSK_isIndexed") ?? false
    property.isIndexedBySpotlight = values.bool("XD_PPSK_isSpotlightIndexed") ?? false
    property.isStoredInExternalRecord = values.bool("XD_PPSK_isStoredInTruthFile") ?? false
    property.explicitRenamingIdentifier = values.string("XD_PPSK_elementID")
    property.versionHashModifier = values.string("XD_PPSK_versionHashModifier")
    property.userInfo = values.userInfo("XD_PPSK_userInfo")
    unrecognized += values.unreadNames.map { "'\($0)' of the property '\(entity).\(name)'" }
    recordUnknownFields(
      of: instance, known: ["_name", "XDBucketForStereotypesstorage"],
      place: "the property '\(entity).\(name)'")
    return property
  }

  private func readAttribute(
    _ values: ElementValues, name: String, entity: String
  ) throws -> NSAttributeDescription {
    let code = values.integer("XD_PAttK_attributeType") ?? 0
    guard let type = NSAttributeType(rawValue: UInt(clamping: code)) else {
      throw ModelFileError.invalid(
        url, entity: entity, property: name, "\(code) is not an attribute type.")
    }
    let attribute = NSAttributeDescription()
    attribute.attributeType = type
    attribute.valueTransformerName = values.string("XD_PAttK_valueTransformerName")
    attribute.allowsExternalBinaryDataStorage =
      values.bool("XD_PAttK_allowsExternalBinaryDataStorage") ?? false
    let parser = AttributeValues(url: url, entity: entity, property: name, type: type)
    let texts = EditorTexts(
      defaultValue: values.string("XD_PAttK_defaultValueAsString").map { .init(text: $0) },
      minimum: values.string("XD_PAttK_minValueString").map { .init(text: $0) },
      maximum: values.string("XD_PAttK_maxValueString").map { .init(text: $0) })
    // In Xcode 3, a date could be typed in words, such as "now" for the time of compilation. No value corresponds to
    // such a text, so only the text is stored.
    unrecognized += try parser.apply(
      texts, pattern: values.string("XD_PAttK_regularExpressionString"), to: attribute)
    return attribute
  }

  private func readRelationship(
    _ values: ElementValues, name: String, entity: String
  ) throws -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    let isToMany = values.bool("XD_PRK_isToMany") ?? false
    relationship.minCount = values.integer("XD_PRK_minCount") ?? 0
    let maximum = values.integer("XD_PRK_maxCount")
    // A file that specifies only `isToMany` omits the maximum.
    relationship.maxCount = maximum ?? (isToMany ? 0 : 1)
    relationship.isOrdered = values.bool("XD_PRK_ordered") ?? false
    let code = values.integer("XD_PRK_deleteRule") ?? 1
    guard let rule = NSDeleteRule(rawValue: UInt(clamping: code)) else {
      throw ModelFileError.invalid(
        url, entity: entity, property: name, "\(code) is not a deletion rule.")
    }
    relationship.deleteRule = rule
    let inverse = archive.instance(values.value("XD_PRK_inverseRelationship"))
    assembler.connect(
      relationship, of: entity, destination: elementName(values.value("XD_PRK_destination")),
      inverse: archive.string(inverse?.fields["_name"]),
      inverseEntity: elementName(inverse?.fields["_owner"]))
    return relationship
  }
}
