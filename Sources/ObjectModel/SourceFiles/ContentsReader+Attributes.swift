extension ContentsReader {
  /// Reads an `<attribute>` of an entity or of a composite.
  func readAttribute(_ node: XMLNode, entity: String) throws -> NSAttributeDescription {
    let name = try required("name", of: node, entity: entity)
    let typeName = node["attributeType"] ?? NSAttributeType.undefinedAttributeType.modelFileName
    guard let type = NSAttributeType(modelFileName: typeName) else {
      throw ModelFileError.invalid(
        url, entity: entity, property: name, "'\(typeName)' is not an attribute type.")
    }
    let attribute = makeAttribute(node, type: type, entity: entity)
    attribute.attributeType = type
    readCommon(node, into: attribute, name: name, entity: entity)
    attribute.isTransient = node.flag("transient") ?? false
    attribute.isIndexed = node.flag("indexed") ?? false
    attribute.isIndexedBySpotlight = node.flag("spotlightIndexingEnabled") ?? false
    attribute.isStoredInExternalRecord = node.flag("storedInTruthFile") ?? false
    attribute.allowsExternalBinaryDataStorage =
      node.flag("allowsExternalBinaryDataStorage") ?? false
    attribute.preservesValueInHistoryOnDeletion = node.flag("preserveAfterDeletion") ?? false
    attribute.allowsCloudEncryption = node.flag("allowsCloudEncryption") ?? false
    attribute.usesScalarValueType = node.flag("usesScalarValueType")
    attribute.valueTransformerName = node.nonempty("valueTransformerName")
    attribute.customValueClassName = node["customClassName"]
    try readValues(node, into: attribute, entity: entity)
    for child in node.children where child.name != "userInfo" {
      noteUnknownElement(child, in: "attribute '\(entity).\(name)'")
    }
    // This comes last, because reading an attribute is what marks it as known.
    recordUnread(node, in: "attribute '\(entity).\(name)'")
    return attribute
  }

  private func makeAttribute(
    _ node: XMLNode, type: NSAttributeType, entity: String
  ) -> NSAttributeDescription {
    if type == .compositeAttributeType {
      let composite = NSCompositeAttributeDescription()
      composite.compositeName = node.nonempty("composite")
      pendingComposites.append((composite, entity))
      return composite
    }
    if node.flag("derived") == true {
      let derived = NSDerivedAttributeDescription()
      derived.derivationText = node.nonempty("derivationExpression")
      derived.filterText = node.nonempty("filteringPredicate")
      return derived
    }
    return NSAttributeDescription()
  }

  /// Reads the attributes that all kinds of properties have.
  func readCommon(
    _ node: XMLNode, into property: NSPropertyDescription, name: String, entity: String
  ) {
    property.name = name
    // In a file, a missing `optional` means NO, but a new description is optional by default.
    property.isOptional = node.flag("optional") ?? false
    property.versionHashModifier = node.nonempty("versionHashModifier")
    property.explicitRenamingIdentifier = node.nonempty("elementID")
    property.isSyncable = node.flag("syncable")
    for child in node.children where child.name == "userInfo" {
      property.userInfo = readUserInfo(child, in: "property '\(entity).\(name)'")
    }
  }

  private func readValues(
    _ node: XMLNode, into attribute: NSAttributeDescription, entity: String
  ) throws {
    let values = AttributeValues(
      url: url, entity: entity, property: attribute.name, type: attribute.attributeType)
    let texts = EditorTexts(
      defaultValue: typed(node, "defaultValueString", "defaultDateTimeInterval"),
      minimum: typed(node, "minValueString", "minDateTimeInterval"),
      maximum: typed(node, "maxValueString", "maxDateTimeInterval"))
    unrecognized += try values.apply(
      texts, pattern: node.nonempty("regularExpressionString"), to: attribute)
  }

  private func typed(_ node: XMLNode, _ text: String, _ interval: String) -> EditorTexts.Value? {
    let value = EditorTexts.Value(text: node[text], interval: node[interval])
    return value == EditorTexts.Value() ? nil : value
  }

  /// Reads a `<composite>`: a named group of attributes.
  func readComposite(_ node: XMLNode) throws -> ModelComposite {
    let name = try required("name", of: node, entity: nil)
    let elements = try children("attribute", of: node, in: "composite '\(name)'") { child in
      try readAttribute(child, entity: name)
    }
    recordUnread(node, in: "composite '\(name)'")
    return ModelComposite(name: name, elements: elements)
  }

  /// Fills each composite attribute with copies of the elements of the composite to which it
  /// refers.
  func fillComposites(from groups: [ModelComposite]) throws {
    var unfolding = CompositeUnfolding(groups)
    for (attribute, entity) in pendingComposites {
      do {
        try unfolding.fill(attribute)
      } catch let failure as CompositeUnfolding.Failure {
        throw ModelFileError.invalid(
          url, entity: entity, property: attribute.name, failure.reason)
      }
    }
  }
}
