/// Writes compiled mapping models (`.cdm`), in the keyed archive format of Xcode's compiler.
struct CompiledMappingWriter {
  private let writer = ArchivedModelWriter.forParts()
  private var builder: KeyedArchiveBuilder { writer.builder }

  /// Returns an archive of entity mappings, in order.
  ///
  /// - Throws: An error that identifies the mapping and property whose expression or user info cannot be
  ///   archived.
  func archive(_ mappings: [NSEntityMapping]) throws -> KeyedArchive {
    let entries = try mappings.map { (name: $0.name ?? "", value: try entityMapping($0)) }
    // As in `NSMappingModel.entityMappingsByName`, the last of several mappings with the same name
    // counts.
    let byName = Dictionary(
      entries.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last }
    ).sorted { $0.key.isBefore($1.key) }
    let root = builder.add(
      .mappingModel,
      [
        "NSEntityMappings": builder.array(entries.map(\.value)),
        "NSEntityMappingsByName": builder.dictionary(
          byName.map { (key: $0.key, value: $0.value) }, .mutableDictionary),
      ])
    return builder.finish(root: root)
  }

  private func entityMapping(_ mapping: NSEntityMapping) throws -> PropertyListValue {
    let name = mapping.name ?? ""
    return builder.add(
      .entityMapping,
      [
        "NSMappingName": builder.add(name),
        "NSMappingType": .integer(Int64(mapping.mappingType.rawValue)),
        "NSSourceEntityName": builder.add(mapping.sourceEntityName),
        "NSSourceEntityVersionHash": hash(mapping.sourceEntityVersionHash),
        "NSDestinationEntityName": builder.add(mapping.destinationEntityName),
        "NSDestinationEntityVersionHash": hash(mapping.destinationEntityVersionHash),
        "NSEntityMigrationPolicyClassName": builder.add(mapping.entityMigrationPolicyClassName),
        "NSSourceExpression": try expression(mapping.sourceExpression, of: name, property: nil),
        "NSAttributeMappings": try properties(mapping.attributeMappings, of: name),
        "NSRelationshipMappings": try properties(mapping.relationshipMappings, of: name),
        "NSUserInfo": try userInfo(mapping.userInfo, of: name, property: nil),
      ])
  }

  private func properties(
    _ mappings: [NSPropertyMapping]?, of name: String
  ) throws -> PropertyListValue {
    guard let mappings else { return KeyedArchiveBuilder.null }
    return builder.array(try mappings.map { try propertyMapping($0, of: name) })
  }

  private func propertyMapping(
    _ mapping: NSPropertyMapping, of name: String
  ) throws -> PropertyListValue {
    builder.add(
      .propertyMapping,
      [
        "NSDestinationPropertyName": builder.add(mapping.name),
        "NSValueExpression": try expression(
          mapping.valueExpression, of: name, property: mapping.name),
        "NSUserInfo": try userInfo(mapping.userInfo, of: name, property: mapping.name),
        "NSPropertyTransforms": KeyedArchiveBuilder.null,
      ])
  }

  private func hash(_ hash: Data?) -> PropertyListValue {
    hash.map { builder.add(plain: .data($0)) } ?? KeyedArchiveBuilder.null
  }

  private func expression(
    _ expression: Predicates.NSExpression?, of name: String, property: String?
  ) throws -> PropertyListValue {
    guard let expression else { return KeyedArchiveBuilder.null }
    return try naming(name, property) {
      try PredicateArchiver(writer: writer, entity: name, property: property)
        .expression(expression)
    }
  }

  private func userInfo(
    _ info: [AnyHashable: Any]?, of name: String, property: String?
  ) throws -> PropertyListValue {
    guard let info else { return KeyedArchiveBuilder.null }
    return try naming(name, property) {
      try writer.userInfo(info, of: name, property: property)
    }
  }

  /// Adds the name of the mapping and property to an error.
  private func naming(
    _ name: String, _ property: String?, _ body: () throws -> PropertyListValue
  ) throws -> PropertyListValue {
    do {
      return try body()
    } catch {
      let place = property.map { "mapping '\(name)', property '\($0)'" } ?? "mapping '\(name)'"
      throw MappingFailure(reason: "\(place): \(MappingFile.reason(error))")
    }
  }
}
