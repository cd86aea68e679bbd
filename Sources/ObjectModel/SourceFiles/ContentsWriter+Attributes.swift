extension ContentsWriter {
  /// Returns an `<attribute>` of an entity or of a composite.
  func attribute(_ attribute: NSAttributeDescription, entity: String) throws -> ModelElement {
    let derived = attribute as? NSDerivedAttributeDescription
    var element = ModelElement("attribute", ["name": attribute.name])
    element.add("optional", if: attribute.isOptional)
    element.add("transient", if: attribute.isTransient)
    element.add("attributeType", attribute.attributeType.modelFileName)
    element.add("composite", compositeNames[ObjectIdentifier(attribute)])
    element.add("valueTransformerName", attribute.valueTransformerName)
    try addValues(of: attribute, entity: entity, to: &element)
    element.add("derived", if: derived != nil)
    element.add("derivationExpression", derived?.derivationText)
    element.add("filteringPredicate", derived?.filterText)
    element.add("customClassName", attribute.customValueClassName)
    element.add("allowsExternalBinaryDataStorage", if: attribute.allowsExternalBinaryDataStorage)
    element.add("spotlightIndexingEnabled", if: attribute.isIndexedBySpotlight)
    element.add("storedInTruthFile", if: attribute.isStoredInExternalRecord)
    element.add("usesScalarValueType", truth: attribute.usesScalarValueType)
    element.add("indexed", if: attribute.isIndexed)
    element.add("preserveAfterDeletion", if: attribute.preservesValueInHistoryOnDeletion)
    element.add("allowsCloudEncryption", if: attribute.allowsCloudEncryption)
    addCommon(attribute, to: &element)
    if let info = try userInfo(attribute.userInfo, entity: entity, property: attribute.name) {
      element.children.append(info)
    }
    return element
  }

  /// Adds the XML attributes that all kinds of properties have in common and that come last in their elements.
  func addCommon(_ property: NSPropertyDescription, to element: inout ModelElement) {
    element.add("elementID", property.explicitRenamingIdentifier)
    element.add("versionHashModifier", property.versionHashModifier)
    element.add("syncable", truth: property.isSyncable)
  }

  private func addValues(
    of attribute: NSAttributeDescription, entity: String, to element: inout ModelElement
  ) throws {
    // The format stores only text, and an archived object has no text form.
    if attribute.archivedDefaultValue != nil {
      throw cannotRepresent("a default value that is an archived object", entity, attribute.name)
    }
    let texts = AttributeTexts(attribute, entity: entity)
    let bounds = try bounds(of: attribute, entity: entity)
    let minimum = texts.bound(bounds.minimum, isMinimum: true)
    let maximum = texts.bound(bounds.maximum, isMinimum: false)
    var shown: String { "the default value '\(MessageText.text(of: attribute.defaultValue))'" }
    guard let value = texts.defaultValue() else {
      throw cannotRepresent(
        "\(shown), which does not fit the type \(attribute.attributeType.modelFileName)",
        entity, attribute.name)
    }
    // A source has no text for not-a-number or for an infinite date.
    guard texts.isReadable(value) else { throw cannotRepresent(shown, entity, attribute.name) }
    element.add("minDateTimeInterval", minimum.interval)
    element.add("minValueString", minimum.text)
    element.add("maxDateTimeInterval", maximum.interval)
    element.add("maxValueString", maximum.text)
    element.add("regularExpressionString", bounds.pattern)
    element.add("defaultDateTimeInterval", value.interval)
    element.add("defaultValueString", value.text)
  }

  private struct Bounds {
    var minimum: ValidationRule.Condition?
    var maximum: ValidationRule.Condition?
    var pattern: String?
  }

  /// Returns the validation rules in the three forms that a source file supports.
  private func bounds(of attribute: NSAttributeDescription, entity: String) throws -> Bounds {
    var result = Bounds()
    for rule in attribute.validationRules {
      // The format has no place for a custom message or error code.
      guard rule.warning == .code(rule.condition.defaultCode) else {
        throw cannotRepresent(
          "the message of the rule '\(rule.predicateFormat)'", entity, attribute.name)
      }
      switch rule.condition {
      case .minimum(let bound) where !bound.isReadableInSources,
        .maximum(let bound) where !bound.isReadableInSources:
        throw cannotRepresent("the rule '\(rule.predicateFormat)'", entity, attribute.name)
      // The file has only one attribute for the minimum, whether of the value or of the length.
      case .minimum where result.minimum == nil, .minimumLength where result.minimum == nil:
        result.minimum = rule.condition
      case .maximum where result.maximum == nil, .maximumLength where result.maximum == nil:
        result.maximum = rule.condition
      case .matches(let pattern) where result.pattern == nil: result.pattern = pattern
      default: throw cannotRepresent("the rule '\(rule.predicateFormat)'", entity, attribute.name)
      }
    }
    return result
  }
}

extension ValidationRule.Bound {
  /// Whether reading the bound's text from a source (`AttributeValues`) returns the bound.
  fileprivate var isReadableInSources: Bool {
    if case .date(let date) = self { return date.timeIntervalSinceReferenceDate.isFinite }
    return !isNaN
  }
}
