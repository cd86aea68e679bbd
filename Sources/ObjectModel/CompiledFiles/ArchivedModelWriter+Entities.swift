extension ArchivedModelWriter {
  /// Fills the reserved entries of an entity and its properties.
  func write(_ entity: NSEntityDescription) throws {
    guard case .uid(let place) = reference(to: entity), let name = entity.name else { return }
    var properties: [(key: String, value: PropertyListValue)] = []
    let indexed = Set(entity.lineage.flatMap(\.indexes).compactMap(\.singleAttributeName))
    for property in self.properties(of: entity).sorted(by: { $0.name.isBefore($1.name) }) {
      // Old systems know only this flag, so the compiler sets it for an attribute with its own
      // fetch index.
      let isIndexed = property.isIndexed || indexed.contains(property.name)
      try write(property, in: entity, isIndexed: isIndexed)
      properties.append((key: property.name, value: reference(to: property, in: entity)))
    }
    let subentities = entity.subentities.sorted { ($0.name ?? "").isBefore($1.name ?? "") }
    var fields: [String: PropertyListValue] = [
      "NSEntityName": builder.add(name),
      "NSClassNameForEntity": builder.add(entity.representedClassName),
      "NSManagedObjectModel": .uid(modelPlace),
      "NSProperties": builder.dictionary(properties, .mutableDictionary),
      "NSSubentities": builder.dictionary(
        subentities.map { (key: $0.name ?? "", value: reference(to: $0)) }, .mutableDictionary),
      "NSSuperentity": reference(to: entity.superentity),
      "NSRenamingIdentifier": builder.add(entity.renamingIdentifier),
      "NSVersionHashModifier": builder.add(entity.versionHashModifier),
      "NSUserInfo": try userInfo(entity.userInfo ?? [:], of: name, property: nil),
    ]
    if entity.isAbstract { fields["NSIsAbstract"] = .bool(true) }
    if !entity.uniquenessConstraints.isEmpty {
      fields["NSUniqueTuples"] = nameGroups(entity.uniquenessConstraintNames)
    }
    if let text = entity.spotlightDisplayText {
      fields["NSCoreSpotlightDisplayNameExpression"] = try archivable {
        try expression(text, of: name, property: nil)
      }
    }
    try addIndexes(of: entity, named: name, to: &fields)
    builder.fill(place, .entity, fields)
  }

  private func addIndexes(
    of entity: NSEntityDescription, named name: String, to fields: inout [String: PropertyListValue]
  ) throws {
    // Old systems know only compound indexes, so the compiler also writes fetch indexes in that
    // form.
    let compound = entity.compoundIndexNames + entity.indexes.compactMap(\.compoundNames)
    let automatic = form == .compiledModel ? entity.automaticIndexes : []
    let indexes = entity.indexes + automatic
    if !compound.isEmpty || !indexes.isEmpty {
      fields["NSCompoundIndexes"] = nameGroups(compound)
    }
    guard !indexes.isEmpty else { return }
    fields["NSFetchIndexDescriptions"] = builder.array(
      try indexes.compactMap { index in
        // If a part cannot be archived, omit the whole index: without its condition, for example, it would be a
        // different one.
        try archivable { try self.index(index, of: entity, named: name) }
      }, .mutableArray)
  }

  private func nameGroups(_ groups: [[String]]) -> PropertyListValue {
    builder.array(
      groups.map { group in builder.array(group.map { builder.add($0) }, .mutableArray) },
      .mutableArray)
  }

  private func index(
    _ index: NSFetchIndexDescription, of entity: NSEntityDescription, named name: String
  ) throws -> PropertyListValue {
    let place = builder.reserve()
    // The elements refer to their index, so its entry is reserved before them.
    let elements = try index.elements.map { element in
      var fields: [String: PropertyListValue] = [
        "NSPropertyName": builder.add(element.propertyName),
        "NSFetchIndexElementType": .integer(Int64(element.collationType.rawValue)),
        "NSAscending": .bool(element.isAscending),
        "NSFetchIndexDescription": .uid(place),
      ]
      if let text = element.expressionText {
        fields["NSIndexedProperty"] = try expressionProperty(
          named: element.propertyName ?? "expression", text, type: element.expressionType,
          of: name)
      }
      return builder.add(.indexElement, fields)
    }
    var predicate = KeyedArchiveBuilder.null
    if let text = index.partialPredicateFormat {
      predicate = try self.predicate(text, of: name, property: nil)
    }
    builder.fill(
      place, .index,
      [
        "NSIndexName": builder.add(index.name),
        // The indexes that the compiler derives have no entity: this is how readers recognize them.
        "NSEntity": reference(to: index.entity),
        "NSIndexElements": builder.array(elements), "NSPartialIndexPredicate": predicate,
      ])
    return .uid(place)
  }

  private func expressionProperty(
    named name: String, _ text: String, type: NSAttributeType?, of entity: String
  ) throws -> PropertyListValue {
    builder.add(
      .expressionProperty,
      [
        "NSPropertyName": builder.add(name), "NSRenamingIdentifier": builder.add(name),
        "NSEntity": KeyedArchiveBuilder.null, "NSIsOptional": .bool(true),
        "NSIsReadOnly": .bool(true),
        "NSExpressionType": .integer(Int64(type?.rawValue ?? 0)),
        "NSExpression": try expression(text, of: entity, property: nil),
        "_P": .integer(Int64(PropertyFlags.expression.rawValue)),
      ])
  }
}
