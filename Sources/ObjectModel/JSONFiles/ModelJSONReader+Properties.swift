extension ModelJSONReader {
  func readProperty(
    _ fields: inout JSONFields, entity: String
  ) throws -> NSPropertyDescription {
    let name = try fields.requiredText("name")
    let typeName = try fields.requiredText("type")
    let property: NSPropertyDescription
    switch typeName {
    case PropertyKindNames.relationship:
      property = try readRelationship(&fields, named: name, entity: entity)
      property.isTransient = try fields.truth("transient") ?? false
    case PropertyKindNames.fetchedProperty:
      let fetched = NSFetchedPropertyDescription()
      if var request = try fields.object("fetchRequest") {
        fetched.fetchTemplate = try readFetchRequest(&request)
      }
      property = fetched
    default:
      guard let type = NSAttributeType(modelFileName: typeName) else {
        throw fields.failure("type", "'\(typeName)' is not a property type.")
      }
      property = try readAttribute(&fields, type: type, entity: entity)
      property.isTransient = try fields.truth("transient") ?? false
    }
    property.name = name
    property.isOptional = try fields.truth("optional") ?? false
    property.isIndexed = try fields.truth("indexed") ?? false
    property.isIndexedBySpotlight = try fields.truth("spotlight") ?? false
    property.isStoredInExternalRecord = try fields.truth("externalRecord") ?? false
    property.explicitRenamingIdentifier = try fields.text("renamingIdentifier")
    property.versionHashModifier = try fields.text("versionHashModifier")
    property.isSyncable = try fields.truth("syncable")
    property.validationRules = try fields.objects("validation", readRule)
    property.userInfo = try readUserInfo(&fields)
    return property
  }

  private func readRelationship(
    _ fields: inout JSONFields, named name: String, entity: String
  ) throws -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    // Set first, because the assembler's errors contain the name.
    relationship.name = name
    let isToMany = try fields.truth("toMany") ?? false
    relationship.minCount = try fields.integer("minCount") ?? 0
    let maximum = try fields.integer("maxCount")
    // A maximum of 1 is what makes a relationship to-one.
    guard isToMany ? maximum != 1 : maximum == nil else {
      throw fields.failure("maxCount", "it contradicts 'toMany'.")
    }
    relationship.maxCount = maximum ?? (isToMany ? 0 : 1)
    relationship.isOrdered = try fields.truth("ordered") ?? false
    let ruleName = try fields.requiredText("deleteRule")
    guard let rule = NSDeleteRule(modelFileName: ruleName) else {
      throw fields.failure("deleteRule", "'\(ruleName)' is not a deletion rule.")
    }
    relationship.deleteRule = rule
    assembler.connect(
      relationship, of: entity, destination: try fields.text("destination"),
      inverse: try fields.text("inverse"), inverseEntity: try fields.text("inverseEntity"))
    return relationship
  }

  private func readAttribute(
    _ fields: inout JSONFields, type: NSAttributeType, entity: String
  ) throws -> NSAttributeDescription {
    let attribute = try makeAttribute(&fields, type: type, entity: entity)
    attribute.attributeType = type
    attribute.valueTransformerName = try fields.text("valueTransformer")
    attribute.customValueClassName = try fields.text("valueClass")
    attribute.usesScalarValueType = try fields.truth("scalar")
    attribute.allowsExternalBinaryDataStorage = try fields.truth("externalStorage") ?? false
    attribute.preservesValueInHistoryOnDeletion = try fields.truth("preservedOnDeletion") ?? false
    attribute.allowsCloudEncryption = try fields.truth("cloudEncryption") ?? false
    try readDefault(&fields, of: attribute)
    let texts = try fields.object("typed") { typed in
      EditorTexts(
        defaultValue: try typed.object("default", readTyped),
        minimum: try typed.object("minimum", readTyped),
        maximum: try typed.object("maximum", readTyped))
    }
    if let texts { attribute.editorTexts = texts }
    return attribute
  }

  private func makeAttribute(
    _ fields: inout JSONFields, type: NSAttributeType, entity: String
  ) throws -> NSAttributeDescription {
    if type == .compositeAttributeType {
      let composite = NSCompositeAttributeDescription()
      composite.compositeName = try fields.text("composite")
      // The composite may follow this entity in the file, so its elements are copied at the end.
      if composite.compositeName != nil {
        pendingComposites.append((composite, fields.path(of: "composite")))
      } else {
        composite.elements = try readElements(&fields, owner: entity)
      }
      return composite
    }
    guard let derivation = try fields.text("derivation") else { return NSAttributeDescription() }
    let derived = NSDerivedAttributeDescription()
    derived.derivationText = derivation.isEmpty ? nil : derivation
    derived.filterText = try fields.text("derivationFilter")
    return derived
  }

  private func readTyped(_ pair: inout JSONFields) throws -> EditorTexts.Value {
    EditorTexts.Value(text: try pair.text("text"), interval: try pair.text("interval"))
  }
}
