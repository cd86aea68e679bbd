/// Reads compiled mapping models (`.cdm`), which are keyed archives.
struct CompiledMappingReader {
  let archive: KeyedArchive

  /// Returns the entity mappings, in order.
  func mappings() throws -> [NSEntityMapping] {
    guard let root = archive.instance(.uid(archive.root)), root.className == "NSMappingModel" else {
      throw MappingFailure(reason: "it is an archive, but not of a mapping model")
    }
    guard let entries = archive.elements(root.fields["NSEntityMappings"]) else {
      throw MappingFailure(reason: "it has no entity mappings")
    }
    let fields = try entries.map { entry in
      guard let fields = archive.instance(entry)?.fields else {
        throw MappingFailure(reason: "a mapping is missing")
      }
      return fields
    }
    // Read the entities of all mappings first, so that an error in any expression can list them.
    let mappings = fields.map(ends)
    try MappingFailure.naming(mappings) {
      for (mapping, fields) in zip(mappings, fields) { try complete(mapping, fields) }
    }
    return mappings
  }

  /// Creates a mapping with only its name and its source and destination entities.
  private func ends(_ fields: [String: PropertyListValue]) -> NSEntityMapping {
    let mapping = NSEntityMapping()
    mapping.name = archive.string(fields["NSMappingName"]) ?? ""
    mapping.sourceEntityName = archive.string(fields["NSSourceEntityName"])
    mapping.destinationEntityName = archive.string(fields["NSDestinationEntityName"])
    mapping.sourceEntityVersionHash =
      archive.swiftValue(fields["NSSourceEntityVersionHash"]) as? Data
    mapping.destinationEntityVersionHash =
      archive.swiftValue(fields["NSDestinationEntityVersionHash"]) as? Data
    return mapping
  }

  private func complete(
    _ mapping: NSEntityMapping, _ fields: [String: PropertyListValue]
  ) throws {
    let type = archive.integer(fields["NSMappingType"]).flatMap(UInt.init(exactly:)) ?? 0
    guard let type = NSEntityMappingType(rawValue: type) else {
      throw MappingFailure(reason: "mapping \(mapping.name ?? "") has the unknown type \(type)")
    }
    mapping.mappingType = type
    mapping.entityMigrationPolicyClassName =
      archive.string(fields["NSEntityMigrationPolicyClassName"])
    mapping.userInfo = archive.swiftValue(fields["NSUserInfo"]) as? [AnyHashable: Any]
    mapping.sourceExpression = try expression(fields["NSSourceExpression"])
    mapping.attributeMappings = try properties(fields["NSAttributeMappings"])
    mapping.relationshipMappings = try properties(fields["NSRelationshipMappings"])
  }

  private func properties(_ value: PropertyListValue?) throws -> [NSPropertyMapping]? {
    try archive.elements(value)?.map { value in
      guard let fields = archive.instance(value)?.fields else {
        throw MappingFailure(reason: "a property mapping is missing")
      }
      let mapping = NSPropertyMapping()
      mapping.name = archive.string(fields["NSDestinationPropertyName"])
      mapping.valueExpression = try expression(fields["NSValueExpression"])
      mapping.userInfo = archive.swiftValue(fields["NSUserInfo"]) as? [AnyHashable: Any]
      return mapping
    }
  }

  private func expression(_ value: PropertyListValue?) throws -> Predicates.NSExpression? {
    try ArchivedExpression(archive: archive).expression(value)
  }
}
