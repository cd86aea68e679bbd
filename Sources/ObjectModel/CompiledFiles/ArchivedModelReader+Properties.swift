import Foundation

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

  /// Reads a property of any kind; nil for kinds that no stored model can hold.
  func readProperty(
    _ instance: KeyedArchive.Instance, entity: String
  ) throws -> NSPropertyDescription? {
    guard let name = archive.string(instance.fields["NSPropertyName"]) else {
      throw ModelFileError.malformed(url, "a property of the entity '\(entity)' has no name.")
    }
    let fields = instance.fields
    let property: NSPropertyDescription
    var known = Self.propertyKeys
    switch instance.className {
    case "NSAttributeDescription":
      property = try readAttribute(NSAttributeDescription(), fields, name: name, entity: entity)
      known += Self.attributeKeys
    case "NSDerivedAttributeDescription":
      property = try readDerived(fields, name: name, entity: entity)
      known += Self.attributeKeys + ["NSDerivationExpression", "NSFilteringPredicate"]
    case "NSCompositeAttributeDescription":
      property = try readComposite(fields, name: name, entity: entity)
      known += Self.attributeKeys + Self.compositeKeys
    case "NSRelationshipDescription":
      property = try readRelationship(fields, name: name, entity: entity)
      known += [
        "_NSDestinationEntityName", "_NSInverseRelationshipName", "NSDestinationEntity",
        "NSInverseRelationship", "NSMinCount", "NSMaxCount", "NSDeleteRule", "NSIsOrdered",
      ]
    case "NSFetchedPropertyDescription":
      property = try readFetchedProperty(fields, name: name)
      known += ["NSFetchRequest", "_NSFetchRequestEntityName"]
    default:
      note("property '\(entity).\(name)' of the class \(instance.className)")
      return nil
    }
    property.name = name
    property.isOptional = archive.bool(fields["NSIsOptional"]) ?? false
    property.isTransient =
      (archive.bool(fields["NSIsTransient"]) ?? false) || property is NSFetchedPropertyDescription
    property.isIndexed = archive.bool(fields["NSIsIndexed"]) ?? false
    property.explicitRenamingIdentifier = renamingIdentifier(fields, name: name)
    property.versionHashModifier = archive.string(fields["NSVersionHashModifier"])
    property.userInfo = userInfo(fields["NSUserInfo"])
    property.validationRules = try readRules(fields, property: property, entity: entity)
    note(instance, known: known)
    return property
  }

  private func readAttribute<Attribute: NSAttributeDescription>(
    _ attribute: Attribute, _ fields: [String: PropertyListValue], name: String, entity: String
  ) throws -> Attribute {
    let code = archive.integer(fields["NSAttributeType"]) ?? 0
    guard let type = NSAttributeType(rawValue: UInt(clamping: code)) else {
      throw ModelFileError.invalid(
        url, entity: entity, property: name, "\(code) is no attribute type.")
    }
    attribute.attributeType = type
    let className = archive.string(fields["NSAttributeValueClassName"])
    if className != type.defaultValueClassName { attribute.customValueClassName = className }
    attribute.valueTransformerName = archive.string(fields["NSValueTransformerName"])
    attribute.allowsCloudEncryption = archive.bool(fields["NSAllowsCloudEncryption"]) ?? false
    let flags = archive.integer(fields["NSFlagsKey"]) ?? 0
    attribute.allowsExternalBinaryDataStorage = flags & 4 != 0
    attribute.preservesValueInHistoryOnDeletion = flags & 16 != 0
    if flags & ~20 != 0 { note("flags \(flags) of the attribute '\(entity).\(name)'") }
    let value = fields["NSDefaultValue"]
    attribute.defaultValue = defaultValue(value, type: type)
    if attribute.defaultValue == nil, let place = archive.place(value) {
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
  ) throws -> NSDerivedAttributeDescription {
    let place = "attribute '\(entity).\(name)'"
    let attribute = try readAttribute(
      NSDerivedAttributeDescription(), fields, name: name, entity: entity)
    if let text = try expressionText(fields["NSDerivationExpression"], of: place) {
      attribute.derivationText = DerivationExpression(text: text).editorText
    }
    attribute.filterText = try predicateText(fields["NSFilteringPredicate"], of: place)
    return attribute
  }

  private static let compositeKeys = ["NSElements", "NSCompositeElements", "NSAttributes"]

  private func readComposite(
    _ fields: [String: PropertyListValue], name: String, entity: String
  ) throws -> NSCompositeAttributeDescription {
    let attribute = try readAttribute(
      NSCompositeAttributeDescription(), fields, name: name, entity: entity)
    let value = Self.compositeKeys.lazy.compactMap { fields[$0] }.first
    let elements = archive.elements(value) ?? archive.entries(value)?.map(\.value) ?? []
    attribute.elements = try elements.compactMap { element in
      guard let instance = archive.instance(element) else { return nil }
      return try readProperty(instance, entity: "\(entity).\(name)") as? NSAttributeDescription
    }
    return attribute
  }

  private func readRelationship(
    _ fields: [String: PropertyListValue], name: String, entity: String
  ) throws -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.minCount = archive.integer(fields["NSMinCount"]) ?? 0
    relationship.maxCount = archive.integer(fields["NSMaxCount"]) ?? 0
    relationship.isOrdered = archive.bool(fields["NSIsOrdered"]) ?? false
    let code = archive.integer(fields["NSDeleteRule"]) ?? 1
    guard let rule = NSDeleteRule(rawValue: UInt(clamping: code)) else {
      throw ModelFileError.invalid(
        url, entity: entity, property: name, "\(code) is no deletion rule.")
    }
    relationship.deleteRule = rule
    let inverse = archive.instance(fields["NSInverseRelationship"])
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
  ) throws -> [ValidationRule] {
    let predicates = archive.elements(fields["NSValidationPredicates"]) ?? []
    let warnings = archive.elements(fields["NSValidationWarnings"]) ?? []
    let place = "validation of '\(entity).\(property.name)'"
    let type = (property as? NSAttributeDescription)?.attributeType
    return try predicates.enumerated().map { index, predicate in
      let condition = try validationCondition(predicate, type: type, of: place)
      guard warnings.indices.contains(index) else { return ValidationRule(condition) }
      if let text = archive.string(warnings[index]) {
        return ValidationRule(condition, warning: .message(text))
      }
      return ValidationRule(condition, warning: archive.integer(warnings[index]).map { .code($0) })
    }
  }
}
