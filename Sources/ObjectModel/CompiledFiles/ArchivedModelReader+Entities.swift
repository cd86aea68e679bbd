extension ArchivedModelReader {
  private static let entityKeys = [
    "NSEntityName", "NSClassNameForEntity", "NSProperties", "NSSubentities", "NSSuperentity",
    "NSIsAbstract", "NSUniqueTuples", "NSUserInfo", "NSVersionHashModifier",
    "NSRenamingIdentifier", "NSManagedObjectModel", "NSFetchIndexDescriptions",
    "NSCompoundIndexes", "NSCoreSpotlightDisplayNameExpression",
  ]

  /// Reads an entity, and passes it to the assembler with the name of its parent.
  func readEntity(_ instance: KeyedArchive.Instance) throws {
    guard instance.className == "NSEntityDescription",
      let name = archive.string(instance.fields["NSEntityName"])
    else { throw ModelFileError.malformed(url, "an archived entity has no name.") }
    let fields = instance.fields
    let entity = NSEntityDescription()
    entity.name = name
    entity.isAbstract = archive.bool(fields["NSIsAbstract"]) ?? false
    entity.representedClassName = archive.string(fields["NSClassNameForEntity"])
    entity.userInfo = userInfo(fields["NSUserInfo"])
    entity.versionHashModifier = archive.string(fields["NSVersionHashModifier"])
    entity.explicitRenamingIdentifier = renamingIdentifier(fields, name: name)
    entity.uniquenessConstraints = nameGroups(fields["NSUniqueTuples"])
    entity.compoundIndexes = nameGroups(fields["NSCompoundIndexes"])
    entity.spotlightDisplayText = noting {
      try expressionText(
        fields["NSCoreSpotlightDisplayNameExpression"], of: "entity '\(name)'")
    }
    try assembler.add(entity, parent: entityName(fields["NSSuperentity"]))
    var properties: [NSPropertyDescription] = []
    for value in propertyValues(fields["NSProperties"]) {
      guard let property = archive.instance(value) else { continue }
      // An inherited property is archived as a proxy of the parent's property, or as the same object.
      if property.className == "_NSPropertyDescriptionProxy" { continue }
      if let owner = archive.place(property.fields["NSEntity"]), owner != instance.place {
        continue
      }
      if let description = readProperty(property, entity: name) {
        properties.append(description)
      }
    }
    entity.ownProperties = properties
    entity.indexes = (archive.elements(fields["NSFetchIndexDescriptions"]) ?? []).compactMap {
      archive.instance($0).flatMap { index in noting { try readIndex(index, entity: name) } }
    }
    removeDerivedIndexes(in: entity, automatic: automaticIndexes(fields))
    note(instance, known: Self.entityKeys)
  }

  /// Returns the names of the indexes that the compiler derived from indexed properties: those without an entity.
  private func automaticIndexes(_ fields: [String: PropertyListValue]) -> Set<String> {
    let indexes = (archive.elements(fields["NSFetchIndexDescriptions"]) ?? [])
      .compactMap { archive.instance($0) }
    return Set(
      indexes.filter { archive.place($0.fields["NSEntity"]) == nil }
        .compactMap { archive.string($0.fields["NSIndexName"]) })
  }

  /// Removes what the compiler derived: for old systems, the compound indexes and the `isIndexed` flag of an
  /// attribute that has its own index; for new systems, the index of an indexed property.
  private func removeDerivedIndexes(in entity: NSEntityDescription, automatic: Set<String>) {
    // Flags are cleared first: the filter below sets them again for indexes that the compiler
    // derived.
    let single = Set(entity.indexes.compactMap(\.singleAttributeName))
    for property in entity.ownProperties where single.contains(property.name) {
      property.isIndexed = false
    }
    let properties = Dictionary(
      entity.ownProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    entity.indexes = entity.indexes.filter {
      !(automatic.contains($0.name) && entity.restoreIndexedFlag(from: $0, among: properties))
    }
    let compound = Set(entity.indexes.compactMap(\.compoundNames))
    entity.compoundIndexes = entity.compoundIndexNames.filter { !compound.contains($0) }
  }

  private func propertyValues(_ value: PropertyListValue?) -> [PropertyListValue] {
    archive.entries(value)?.sorted(by: isBefore).map(\.value) ?? archive.elements(value) ?? []
  }

  /// Returns the renaming identifier; nil if it equals the name, which is the default.
  func renamingIdentifier(_ fields: [String: PropertyListValue], name: String) -> String? {
    let identifier = archive.string(fields["NSRenamingIdentifier"])
    return identifier == name ? nil : identifier
  }

  /// Returns groups of property names. Each element in the archive is a name or a property.
  private func nameGroups(_ value: PropertyListValue?) -> [[String]] {
    (archive.elements(value) ?? []).map { propertyNames($0) ?? [] }
  }

  private func readIndex(
    _ instance: KeyedArchive.Instance, entity: String
  ) throws -> NSFetchIndexDescription {
    let name = archive.string(instance.fields["NSIndexName"]) ?? ""
    if name.isEmpty { note("an index of the entity '\(entity)' without a name") }
    let elements = try (archive.elements(instance.fields["NSIndexElements"]) ?? []).compactMap {
      try archive.instance($0).map { try readIndexElement($0, entity: entity, index: name) }
    }
    let index = NSFetchIndexDescription(name: name, elements: elements)
    index.partialPredicateFormat = try predicateText(
      instance.fields["NSPartialIndexPredicate"], of: "index '\(entity).\(name)'")
    note(
      instance,
      known: ["NSIndexName", "NSPartialIndexPredicate", "NSIndexElements", "NSEntity"])
    return index
  }

  private func readIndexElement(
    _ instance: KeyedArchive.Instance, entity: String, index: String
  ) throws -> NSFetchIndexElementDescription {
    let fields = instance.fields
    let code = archive.integer(fields["NSFetchIndexElementType"]) ?? 0
    let known = NSFetchIndexElementType(rawValue: UInt(clamping: code))
    if known == nil { note("type \(code) of an element of the index '\(entity).\(index)'") }
    let type = known ?? .binary
    let element = NSFetchIndexElementDescription(
      propertyName: archive.string(fields["NSPropertyName"]), collationType: type)
    element.isAscending = archive.bool(fields["NSAscending"]) ?? true
    if let property = archive.instance(fields["NSIndexedProperty"]),
      property.className == "NSExpressionDescription"
    {
      element.expressionText = try expressionText(
        property.fields["NSExpression"], of: "index '\(entity).\(index)'")
      let code = archive.integer(property.fields["NSExpressionType"]) ?? 0
      element.expressionType = NSAttributeType(rawValue: UInt(clamping: code))
    }
    note(
      instance,
      known: [
        "NSPropertyName", "NSFetchIndexElementType", "NSFetchIndexDescription", "NSAscending",
        "NSIndexedProperty",
      ])
    return element
  }
}
