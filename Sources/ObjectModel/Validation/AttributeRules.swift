/// Requires a storable type for each stored attribute, and warns about settings without effect.
enum AttributeRules: PropertyRule {
  static func inspect(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    guard let attribute = property as? NSAttributeDescription else { return }
    if !attribute.isTransient {
      switch attribute.attributeType {
      case .undefinedAttributeType:
        inspection.report(
          .unstorableType, entity, attribute, "a stored attribute needs a type, and it has none")
      case .objectIDAttributeType:
        inspection.report(
          .unstorableType, entity, attribute, "object IDs are not stored; use a relationship")
      default: break
      }
    }
    inspectSettings(of: attribute, entity, &inspection)
  }

  private static func inspectSettings(
    of attribute: NSAttributeDescription, _ entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    let type = attribute.attributeType
    if attribute.valueTransformerName?.isEmpty == false, type != .transformableAttributeType {
      inspection.report(
        .uselessSetting, entity, attribute,
        "a value transformer has no effect on \(type.phrase)")
    }
    if attribute.allowsExternalBinaryDataStorage, type != .binaryDataAttributeType,
      type != .transformableAttributeType
    {
      inspection.report(
        .uselessSetting, entity, attribute,
        "\(type.phrase) is never stored in a separate file")
    }
  }
}

extension NSAttributeType {
  /// The type as a phrase in messages: `an Integer 16 attribute`.
  var phrase: String {
    // The vowels exclude "U", because it is "a URI" and "a UUID".
    let article =
      "AEIO".contains(modelFileName.prefix(1)) || self == .undefinedAttributeType ? "an" : "a"
    return "\(article) \(modelFileName) attribute"
  }
}
