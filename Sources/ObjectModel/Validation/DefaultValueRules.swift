/// Requires that a default value has the attribute's type and is in its range. Warns if an integer attribute would lose
/// the value's fraction, or if the value violates the attribute's own rules.
enum DefaultValueRules: PropertyRule {
  static func inspect(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    guard let attribute = property as? NSAttributeDescription, let value = attribute.defaultValue
    else { return }
    if let defect = defect(of: value, attribute) {
      inspection.report(.wrongDefault, entity, attribute, defect)
      return
    }
    if let omission = omission(from: value, attribute) {
      inspection.report(.invalidDefault, entity, attribute, omission)
    }
    for rule in attribute.validationRules {
      // Another rule reports a predicate that cannot be evaluated.
      guard let predicate = rule.validationPredicate,
        (try? predicate.evaluated(with: value)) == false
      else { continue }
      inspection.report(
        .invalidDefault, entity, attribute,
        "the default value \(shown(value)) violates the rule \(rule.predicateFormat)")
    }
  }

  private static func defect(of value: Any, _ attribute: NSAttributeDescription) -> String? {
    let type = attribute.attributeType
    if let composite = attribute as? NSCompositeAttributeDescription {
      return defect(of: value, composite)
    }
    guard isOfType(value, type) else {
      return "the default value \(shown(value)) is not of the type \(type.modelFileName)"
    }
    guard let range = type.integerRange, let number = value as? NSNumber else { return nil }
    // Compare exactly, because a double cannot represent all 64-bit integers.
    let isAbove = ValueOrder.compare(number.scalar, .integer(range.lowerBound)) != .orderedAscending
    let isBelow =
      ValueOrder.compare(number.scalar, .integer(range.upperBound)) != .orderedDescending
    return isAbove && isBelow
      ? nil : "the default value \(shown(value)) is outside the range of \(type.modelFileName)"
  }

  private static func defect(
    of value: Any, _ composite: NSCompositeAttributeDescription
  ) -> String? {
    guard let values = value as? [String: Any] else {
      return "the default value \(shown(value)) is not a dictionary of the elements' values"
    }
    for key in values.keys.sorted(by: { $0.isBefore($1) }) {
      guard let element = composite.elements.first(where: { $0.name == key }) else {
        return "the default value contains the unknown element '\(key)'"
      }
      if let value = values[key], !(value is NSNull), let defect = defect(of: value, element) {
        return "\(defect) (element '\(key)')"
      }
    }
    return nil
  }

  /// Describes the part of a default value that an attribute does not store; nil if it stores the whole value.
  private static func omission(from value: Any, _ attribute: NSAttributeDescription) -> String? {
    if let composite = attribute as? NSCompositeAttributeDescription {
      let values = value as? [String: Any] ?? [:]
      for element in composite.elements {
        guard let value = values[element.name], let omission = omission(from: value, element) else {
          continue
        }
        return "\(omission) (element '\(element.name)')"
      }
      return nil
    }
    let type = attribute.attributeType
    guard type.integerRange != nil, let number = value as? NSNumber,
      number.scalar.integerValue == nil
    else { return nil }
    return "the default value \(shown(value)) is not a whole number, and"
      + " \(type.modelFileName) stores only its integer part"
  }

  private static func isOfType(_ value: Any, _ type: NSAttributeType) -> Bool {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType, .floatAttributeType, .booleanAttributeType, .decimalAttributeType:
      value is NSNumber || value is Decimal
    case .stringAttributeType: value is String
    case .dateAttributeType: value is Date
    case .binaryDataAttributeType: value is Data
    case .UUIDAttributeType: value is UUID
    case .URIAttributeType: value is URL
    // A transformer may accept any value, and other rules report these types.
    case .transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType,
      .compositeAttributeType:
      true
    }
  }

  private static func shown(_ value: Any) -> String {
    let text = value is String ? "\"\(value)\"" : MessageText.description(of: value)
    return text.count > 60 ? "\(text.prefix(60))…" : text
  }
}

extension NSAttributeType {
  /// The range of an integer type; nil for other types.
  var integerRange: ClosedRange<Int64>? {
    switch self {
    case .integer16AttributeType: Int64(Int16.min)...Int64(Int16.max)
    case .integer32AttributeType: Int64(Int32.min)...Int64(Int32.max)
    case .integer64AttributeType: Int64.min...Int64.max
    default: nil
    }
  }
}
