extension NSPropertyDescription {
  /// A short description of the property: `optional String`, `to-many relationship to Team`.
  final var comparisonText: String {
    var words: [String] = []
    if isTransient, !(self is NSFetchedPropertyDescription) { words.append("transient") }
    switch self {
    case let derived as NSDerivedAttributeDescription:
      words += ["derived", derived.attributeType.modelFileName]
    case let attribute as NSAttributeDescription:
      words += [isOptional ? "optional" : "required", attribute.attributeType.modelFileName]
      if let text = attribute.defaultText { words += ["with default", text] }
    case let relationship as NSRelationshipDescription:
      words.append(isOptional ? "optional" : "required")
      if relationship.isOrdered { words.append("ordered") }
      words += [
        relationship.isToMany ? "to-many" : "to-one", "relationship to",
        relationship.destinationEntity?.name ?? "nothing",
      ]
    case is NSFetchedPropertyDescription: words.append("fetched property")
    default: words.append("property")
    }
    return words.joined(separator: " ")
  }
}

extension NSRelationshipDescription {
  /// The minimum and maximum number of objects: `0…3`, `1…∞`.
  final var countText: String {
    // Models built in code may use -1 for "unlimited", which has a different version hash from 0.
    "\(minCount)…" + (maxCount == 0 ? "∞" : maxCount < 0 ? "∞ (\(maxCount))" : "\(maxCount)")
  }
}

extension NSAttributeDescription {
  /// The default value as readable text, independent of locale and time zone; nil if there is none.
  package final var defaultText: String? {
    switch defaultValue {
    case nil: return archivedDefaultValue == nil ? nil : "an archived object"
    case let number as NSNumber where attributeType == .booleanAttributeType:
      return number.boolValue ? "YES" : "NO"
    case let date as Date: return DefaultText.text(of: date)
    case let data as Data: return data.count == 1 ? "1 byte" : "\(data.count) bytes"
    case let text as String: return "\"\(text)\""
    case let value?: return MessageText.description(of: value)
    }
  }
}

/// Formats values of models as text.
enum DefaultText {
  /// Returns a date in UTC in ISO 8601 format, with fractional seconds if needed.
  static func text(of date: Date) -> String {
    date.formatted(
      .iso8601.year().month().day().time(
        includingFractionalSeconds: date.timeIntervalSinceReferenceDate.rounded()
          != date.timeIntervalSinceReferenceDate
      ).timeZone(separator: .omitted))
  }
}
