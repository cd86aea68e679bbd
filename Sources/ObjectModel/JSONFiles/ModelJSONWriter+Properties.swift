extension ModelJSONWriter {
  func property(_ property: NSPropertyDescription, of entity: String) throws -> JSONValue {
    var object = JSONObject()
    object.add("name", property.name)
    switch property {
    case let attribute as NSAttributeDescription:
      object.add("type", attribute.attributeType.modelFileName)
      addCommon(property, to: &object)
      try add(attribute, of: entity, to: &object)
    case let relationship as NSRelationshipDescription:
      object.add("type", PropertyKindNames.relationship)
      addCommon(property, to: &object)
      add(relationship, to: &object)
    case let fetched as NSFetchedPropertyDescription:
      object.add("type", PropertyKindNames.fetchedProperty)
      addCommon(property, to: &object)
      object.add(
        "fetchRequest",
        try fetched.fetchTemplate.map {
          try fetchRequest($0, entity: entity, property: property.name)
        })
    default:
      throw ModelFileError.invalid(
        url, entity: entity, property: property.name,
        "a property of the class \(type(of: property)) cannot be written as JSON.")
    }
    object.add(
      "validation",
      unlessEmpty: try property.validationRules.map {
        try rule($0, of: entity, property: property.name)
      })
    try addUserInfo(property.userInfo, to: &object, entity: entity, property: property.name)
    return object.value
  }

  private func addCommon(_ property: NSPropertyDescription, to object: inout JSONObject) {
    object.add("optional", property.isOptional, unless: false)
    if !(property is NSFetchedPropertyDescription) {
      object.add("transient", property.isTransient, unless: false)
    }
    object.add("indexed", property.isIndexed, unless: false)
    object.add("spotlight", property.isIndexedBySpotlight, unless: false)
    object.add("externalRecord", property.isStoredInExternalRecord, unless: false)
    object.add("renamingIdentifier", property.explicitRenamingIdentifier)
    object.add("versionHashModifier", property.versionHashModifier)
    object.add("syncable", property.isSyncable)
  }

  private func add(
    _ attribute: NSAttributeDescription, of entity: String, to object: inout JSONObject
  ) throws {
    object.add("valueTransformer", attribute.valueTransformerName)
    object.add("valueClass", attribute.customValueClassName)
    object.add("scalar", attribute.usesScalarValueType)
    object.add("externalStorage", attribute.allowsExternalBinaryDataStorage, unless: false)
    object.add("preservedOnDeletion", attribute.preservesValueInHistoryOnDeletion, unless: false)
    object.add("cloudEncryption", attribute.allowsCloudEncryption, unless: false)
    if let derived = attribute as? NSDerivedAttributeDescription {
      // Always written, because this key is what makes an attribute a derived one.
      object.add("derivation", .text(derived.derivationText ?? ""))
      object.add("derivationFilter", derived.filterText)
    }
    if let composite = attribute as? NSCompositeAttributeDescription {
      object.add("composite", composite.compositeName)
      // The elements of a named composite are stored with the composite.
      if composite.compositeName == nil {
        object.add("elements", .list(try composite.elements.map { try property($0, of: entity) }))
      }
    }
    object.add("default", try defaultValue(of: attribute, entity: entity))
    object.add("typed", typedTexts(of: attribute, entity: entity))
  }

  /// Returns the texts that were typed in the model editor, if they differ from the texts that the values produce.
  private func typedTexts(of attribute: NSAttributeDescription, entity: String) -> JSONValue? {
    guard attribute.editorTexts != EditorTexts(),
      let plain = attribute.copy() as? NSAttributeDescription
    else { return nil }
    // Without the typed texts, the copy has the texts that the values alone produce.
    plain.editorTexts = EditorTexts()
    let texts = AttributeTexts(attribute, entity: entity)
    let plainTexts = AttributeTexts(plain, entity: entity)
    let bounds = attribute.validationRules.map(\.condition)
    var object = JSONObject()
    func add(_ name: String, _ value: EditorTexts.Value?, _ plainValue: EditorTexts.Value?) {
      guard let value, value != plainValue else { return }
      var pair = JSONObject()
      pair.add("text", value.text)
      pair.add("interval", value.interval)
      object.add(name, pair.value)
    }
    add("default", texts.defaultValue(), plainTexts.defaultValue())
    let minimum = bounds.first { $0.isMinimum }
    add(
      "minimum", texts.bound(minimum, isMinimum: true), plainTexts.bound(minimum, isMinimum: true))
    let maximum = bounds.first { $0.isMaximum }
    add(
      "maximum", texts.bound(maximum, isMinimum: false),
      plainTexts.bound(maximum, isMinimum: false))
    return object.members.isEmpty ? nil : object.value
  }

  private func add(_ relationship: NSRelationshipDescription, to object: inout JSONObject) {
    let destination = relationship.destinationEntity?.name
    let inverse = relationship.inverseRelationship
    object.add("destination", destination)
    object.add("inverse", inverse?.name)
    // An inverse can be inherited, and then its entity is an ancestor of the destination.
    if inverse?.owner?.name != destination { object.add("inverseEntity", inverse?.owner?.name) }
    object.add("toMany", relationship.isToMany, unless: false)
    object.add("minCount", relationship.minCount, unless: 0)
    if relationship.isToMany { object.add("maxCount", relationship.maxCount, unless: 0) }
    object.add("ordered", relationship.isOrdered, unless: false)
    object.add("deleteRule", relationship.deleteRule.modelFileName)
  }
}

/// The JSON type names of properties that are not attributes.
enum PropertyKindNames {
  static let relationship = "Relationship"
  static let fetchedProperty = "Fetched Property"
}
