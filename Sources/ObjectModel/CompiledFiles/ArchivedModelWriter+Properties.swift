extension ArchivedModelWriter {
  /// Fills the reserved entry of a property in one of the entities that have it.
  ///
  /// - Parameter isIndexed: Whether the property has its own index.
  func write(
    _ property: NSPropertyDescription, in entity: NSEntityDescription, isIndexed: Bool
  ) throws {
    guard case .uid(let place) = reference(to: property, in: entity) else { return }
    let name = entity.name ?? ""
    let isReadOnly =
      property is NSDerivedAttributeDescription || property is NSFetchedPropertyDescription
    var fields = try common(property, in: entity, named: name, isReadOnly: isReadOnly)
    let type: ArchivedClass
    switch property {
    case let derived as NSDerivedAttributeDescription:
      try add(derived, of: name, to: &fields)
      try addDerivation(derived, of: name, to: &fields)
      type = .derivedAttribute
    case let composite as NSCompositeAttributeDescription:
      try add(composite, of: name, to: &fields)
      try addElements(of: composite, named: name, to: &fields)
      type = .compositeAttribute
    case let attribute as NSAttributeDescription:
      try add(attribute, of: name, to: &fields)
      if isIndexed { fields["NSIsIndexed"] = .bool(true) }
      type = .attribute
    case let relationship as NSRelationshipDescription:
      add(relationship, to: &fields)
      type = .relationship
    case let fetched as NSFetchedPropertyDescription:
      if let template = fetched.fetchTemplate {
        fields["NSFetchRequest"] = try archivable { try fetchRequest(template) }
        fields["_NSFetchRequestEntityName"] = builder.add(template.entityName)
      }
      type = .fetchedProperty
    default:
      throw ModelFileError.invalid(
        url, entity: name, property: property.name,
        "a property of the class \(Swift.type(of: property)) cannot be archived.")
    }
    builder.fill(place, type, fields)
  }

  private func common(
    _ property: NSPropertyDescription, in entity: NSEntityDescription?, named name: String,
    isReadOnly: Bool
  ) throws -> [String: PropertyListValue] {
    let flags = PropertyFlags.flags(of: property, isReadOnly: isReadOnly)
    var fields: [String: PropertyListValue] = [
      "NSPropertyName": builder.add(property.name),
      "NSRenamingIdentifier": builder.add(property.renamingIdentifier),
      "NSEntity": reference(to: entity), "_P": .integer(Int64(flags.rawValue)),
    ]
    if property.isOptional { fields["NSIsOptional"] = .bool(true) }
    if property.isTransient { fields["NSIsTransient"] = .bool(true) }
    if isReadOnly { fields["NSIsReadOnly"] = .bool(true) }
    if let modifier = property.versionHashModifier {
      fields["NSVersionHashModifier"] = builder.add(modifier)
    }
    if let info = property.userInfo, !info.isEmpty {
      fields["NSUserInfo"] = try userInfo(info, of: name, property: property.name)
    }
    if !property.validationRules.isEmpty {
      let rules = try property.validationRules.compactMap { rule in
        try archivable {
          (
            warning: rule.warning,
            predicate: try predicate(rule, of: name, property: property.name)
          )
        }
      }
      fields["NSValidationPredicates"] = builder.array(rules.map(\.predicate), .mutableArray)
      fields["NSValidationWarnings"] = builder.array(
        rules.map { rule in
          switch rule.warning {
          case .code(let code): builder.add(plain: .integer(Int64(code)))
          case .message(let text): builder.add(text)
          }
        }, .mutableArray)
    }
    return fields
  }

  private func add(
    _ attribute: NSAttributeDescription, of entity: String,
    to fields: inout [String: PropertyListValue]
  ) throws {
    fields["NSAttributeType"] = .integer(Int64(attribute.attributeType.rawValue))
    fields["NSAttributeValueClassName"] = builder.add(attribute.attributeValueClassName)
    fields["NSValueTransformerName"] = builder.add(attribute.valueTransformerName)
    let flags =
      (attribute.allowsExternalBinaryDataStorage ? 4 : 0)
      | (attribute.preservesValueInHistoryOnDeletion ? 16 : 0)
    fields["NSFlagsKey"] = .integer(Int64(flags))
    if attribute.allowsCloudEncryption { fields["NSAllowsCloudEncryption"] = .bool(true) }
    fields["NSDefaultValue"] = try defaultValue(of: attribute, entity: entity)
  }

  private func defaultValue(
    of attribute: NSAttributeDescription, entity: String
  ) throws -> PropertyListValue {
    guard let value = attribute.defaultValue else {
      return attribute.archivedDefaultValue.map { builder.add($0) } ?? KeyedArchiveBuilder.null
    }
    if attribute.attributeType == .decimalAttributeType, let number = value as? NSDecimalNumber {
      return try archived(number, of: entity, property: attribute.name)
    }
    // The file must contain the attribute's type, whatever kind of number a program assigned.
    if let number = value as? NSNumber {
      switch attribute.attributeType {
      case .booleanAttributeType: return builder.add(plain: .bool(number.boolValue))
      case .doubleAttributeType, .floatAttributeType:
        return builder.add(plain: .real(number.doubleValue))
      case let type where type.isInteger: return builder.add(plain: .integer(number.int64Value))
      default: break
      }
    }
    return try archivable { try archived(value, of: entity, property: attribute.name) }
      ?? KeyedArchiveBuilder.null
  }

  private func add(
    _ relationship: NSRelationshipDescription, to fields: inout [String: PropertyListValue]
  ) {
    let inverse = relationship.inverseRelationship
    fields["NSDestinationEntity"] = reference(to: relationship.destinationEntity)
    fields["_NSDestinationEntityName"] = builder.add(relationship.destinationEntity?.name)
    fields["NSInverseRelationship"] = reference(to: inverse, in: inverse?.owner)
    fields["_NSInverseRelationshipName"] = builder.add(inverse?.name)
    fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
    fields["NSMinCount"] = .integer(Int64(relationship.minCount))
    fields["NSMaxCount"] = .integer(Int64(relationship.maxCount))
    if relationship.isOrdered { fields["NSIsOrdered"] = .bool(true) }
  }

  private func addDerivation(
    _ derived: NSDerivedAttributeDescription, of entity: String,
    to fields: inout [String: PropertyListValue]
  ) throws {
    if let text = derived.derivationText {
      fields["NSDerivationExpression"] = derivation(DerivationExpression(text: text))
    }
    let filter = try derived.filterText.flatMap { text in
      try archivable { try predicate(text, of: entity, property: derived.name) }
    }
    fields["NSFilteringPredicate"] = filter ?? KeyedArchiveBuilder.null
  }

  private func addElements(
    of composite: NSCompositeAttributeDescription, named name: String,
    to fields: inout [String: PropertyListValue]
  ) throws {
    let elements = try composite.elements.map { element in
      // Pass no entity, because an element belongs to its composite attribute.
      var fields = try common(element, in: nil, named: name, isReadOnly: false)
      try add(element, of: name, to: &fields)
      guard let composite = element as? NSCompositeAttributeDescription else {
        return builder.add(.attribute, fields)
      }
      try addElements(of: composite, named: name, to: &fields)
      return builder.add(.compositeAttribute, fields)
    }
    fields["NSElements"] = builder.array(elements)
  }
}
