extension ArchivedModelReader {
  private static let propertyKeys =
    [
      "NSPropertyName", "NSIsOptional", "NSIsTransient", "NSIsReadOnly", "NSIsIndexed", "NSEntity",
      "NSRenamingIdentifier", "NSVersionHashModifier", "NSValidationPredicates",
      "NSValidationWarnings", "NSUserInfo",
    ] + DroppedNames.compiledProperty
  private static let attributeKeys = [
    "NSAttributeType", "NSAttributeValueClassName", "NSDefaultValue", "NSValueTransformerName",
    "NSFlagsKey", "NSAllowsCloudEncryption",
  ]

  /// Reads a property of any kind. Records other parts that cannot be read with `note`, and leaves them out.
  ///
  /// - Returns: Nil, after recording the reason with `note`, for a property without a name or of an unknown class, a
  ///   fetched property whose request cannot be read, and a composite attribute that is nested too deeply.
  func readProperty(
    _ instance: KeyedArchive.Instance, entity: String
  ) -> NSPropertyDescription? {
    guard let name = archive.string(instance.fields["NSPropertyName"]), !name.isEmpty else {
      note("a property of the entity '\(entity)' without a name")
      return nil
    }
    let fields = instance.fields
    let property: NSPropertyDescription
    var known = Self.propertyKeys
    switch instance.className {
    case "NSAttributeDescription":
      property = readAttribute(NSAttributeDescription(), fields, name: name, entity: entity)
      known += Self.attributeKeys
    case "NSDerivedAttributeDescription":
      property = readDerived(fields, name: name, entity: entity)
      known += Self.attributeKeys + ["NSDerivationExpression", "NSFilteringPredicate"]
    case "NSCompositeAttributeDescription":
      guard let composite = readComposite(fields, name: name, entity: entity) else { return nil }
      property = composite
      known += Self.attributeKeys + Self.compositeKeys
    case "NSRelationshipDescription":
      property = readRelationship(fields, name: name, entity: entity)
      known += [
        "_NSDestinationEntityName", "_NSInverseRelationshipName", "NSDestinationEntity",
        "NSInverseRelationship", "NSMinCount", "NSMaxCount", "NSDeleteRule", "NSIsOrdered",
      ]
    case "NSFetchedPropertyDescription":
      // Drop a fetched property with an unreadable predicate, because it would fetch the wrong objects.
      guard let fetched = noting({ try readFetchedProperty(fields, name: name) }) else {
        return nil
      }
      property = fetched
      known += ["NSFetchRequest", "_NSFetchRequestEntityName"]
    default:
      note("property '\(entity).\(name)' of the class \(instance.className)")
      return nil
    }
    property.name = name
    property.isOptional = archive.bool(fields["NSIsOptional"]) ?? false
    // A fetched property has no column, so it is always transient.
    property.isTransient =
      (archive.bool(fields["NSIsTransient"]) ?? false) || property is NSFetchedPropertyDescription
    property.isIndexed = archive.bool(fields["NSIsIndexed"]) ?? false
    property.explicitRenamingIdentifier = renamingIdentifier(fields, name: name)
    property.versionHashModifier = archive.string(fields["NSVersionHashModifier"])
    property.userInfo = userInfo(fields["NSUserInfo"])
    property.validationRules = readRules(fields, property: property, entity: entity)
    note(instance, known: known)
    return property
  }

  private func readAttribute<Attribute: NSAttributeDescription>(
    _ attribute: Attribute, _ fields: [String: PropertyListValue], name: String, entity: String
  ) -> Attribute {
    let code = archive.integer(fields["NSAttributeType"]) ?? 0
    let known = NSAttributeType(rawValue: UInt(clamping: code))
    if known == nil { note("type \(code) of the attribute '\(entity).\(name)'") }
    let type = known ?? .undefinedAttributeType
    attribute.attributeType = type
    let className = archive.string(fields["NSAttributeValueClassName"])
    if className != type.defaultValueClassName { attribute.customValueClassName = className }
    attribute.valueTransformerName = archive.string(fields["NSValueTransformerName"])
    attribute.allowsCloudEncryption = archive.bool(fields["NSAllowsCloudEncryption"]) ?? false
    // 4 means external storage, and 16 means preservation after deletion. The meaning of other bits is unknown.
    let flags = archive.integer(fields["NSFlagsKey"]) ?? 0
    attribute.allowsExternalBinaryDataStorage = flags & 4 != 0
    attribute.preservesValueInHistoryOnDeletion = flags & 16 != 0
    if flags & ~20 != 0 { note("flags \(flags) of the attribute '\(entity).\(name)'") }
    let value = fields["NSDefaultValue"]
    attribute.defaultValue = defaultValue(value, type: type)
    if attribute.defaultValue == nil, let place = archive.place(value) {
      // An object of an unknown class stays archived, so that a copy of the model keeps it.
      attribute.archivedDefaultValue = archive.part(from: place)
    }
    return attribute
  }

  private func defaultValue(_ value: PropertyListValue?, type: NSAttributeType) -> Any? {
    let result = archive.swiftValue(value)
    if type == .booleanAttributeType, let number = result as? NSNumber {
      return NSNumber(value: number.boolValue)
    }
    return result
  }

  private func readDerived(
    _ fields: [String: PropertyListValue], name: String, entity: String
  ) -> NSDerivedAttributeDescription {
    let place = "attribute '\(entity).\(name)'"
    let attribute = readAttribute(
      NSDerivedAttributeDescription(), fields, name: name, entity: entity)
    let texts = noting {
      (
        expression: try expressionText(fields["NSDerivationExpression"], of: place),
        filter: try predicateText(fields["NSFilteringPredicate"], of: place)
      )
    }
    if let text = texts?.expression {
      // Compiled models contain the expression as a function call; the property has the text that the model editor
      // shows.
      attribute.derivationText = DerivationExpression(text: text).editorText
    }
    attribute.filterText = texts?.filter
    return attribute
  }

  /// The maximum nesting of composite attributes. It is limited, because in an archive such an attribute can be its own
  /// element.
  private static let deepestComposite = 8

  private static let compositeKeys = ["NSElements", "NSCompositeElements", "NSAttributes"]

  private func readComposite(
    _ fields: [String: PropertyListValue], name: String, entity: String
  ) -> NSCompositeAttributeDescription? {
    guard compositeDepth < Self.deepestComposite else {
      note("composite attribute '\(entity).\(name)', which is nested too deeply")
      return nil
    }
    compositeDepth += 1
    defer { compositeDepth -= 1 }
    let attribute = readAttribute(
      NSCompositeAttributeDescription(), fields, name: name, entity: entity)
    let value = Self.compositeKeys.lazy.compactMap { fields[$0] }.first
    let elements = archive.elements(value) ?? archive.entries(value)?.map(\.value) ?? []
    var seen: Set<String> = []
    attribute.elements = elements.compactMap { element in
      guard let instance = archive.instance(element) else { return nil }
      remainingElements -= 1
      guard remainingElements >= 0,
        let read = readProperty(instance, entity: "\(entity).\(name)")
          as? NSAttributeDescription,
        seen.insert(read.name).inserted
      else {
        note("an element of the composite attribute '\(entity).\(name)'")
        return nil
      }
      return read
    }
    return attribute
  }

  private func readRelationship(
    _ fields: [String: PropertyListValue], name: String, entity: String
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.minCount = archive.integer(fields["NSMinCount"]) ?? 0
    relationship.maxCount = archive.integer(fields["NSMaxCount"]) ?? 0
    relationship.isOrdered = archive.bool(fields["NSIsOrdered"]) ?? false
    let code = archive.integer(fields["NSDeleteRule"]) ?? 1
    let rule = NSDeleteRule(rawValue: UInt(clamping: code))
    if rule == nil { note("deletion rule \(code) of the relationship '\(entity).\(name)'") }
    relationship.deleteRule = rule ?? .nullifyDeleteRule
    let inverse = archive.instance(fields["NSInverseRelationship"])
    // An inherited inverse is archived as a proxy, which refers to the property of the parent
    // entity.
    let underlying = archive.instance(inverse?.fields["NSUnderlyingProperty"]) ?? inverse
    assembler.connect(
      relationship, of: entity,
      destination: archive.string(fields["_NSDestinationEntityName"])
        ?? entityName(fields["NSDestinationEntity"]),
      inverse: archive.string(fields["_NSInverseRelationshipName"])
        ?? archive.string(underlying?.fields["NSPropertyName"]),
      inverseEntity: entityName(underlying?.fields["NSEntity"]))
    return relationship
  }

  private func readRules(
    _ fields: [String: PropertyListValue], property: NSPropertyDescription, entity: String
  ) -> [ValidationRule] {
    let predicates = archive.elements(fields["NSValidationPredicates"]) ?? []
    let warnings = archive.elements(fields["NSValidationWarnings"]) ?? []
    let place = "validation of '\(entity).\(property.name)'"
    let type = (property as? NSAttributeDescription)?.attributeType
    return predicates.enumerated().compactMap { index, predicate in
      guard
        let condition = noting({
          try validationCondition(predicate, type: type, of: place)
        })
      else { return nil }
      guard warnings.indices.contains(index) else { return ValidationRule(condition) }
      if let text = archive.string(warnings[index]) {
        return ValidationRule(condition, warning: .message(text))
      }
      return ValidationRule(condition, warning: archive.integer(warnings[index]).map { .code($0) })
    }
  }
}
