extension ModelJSONWriter {
  /// Returns the default value in the format of the attribute's type, otherwise as an archive; nil if there is none.
  func defaultValue(
    of attribute: NSAttributeDescription, entity: String
  ) throws -> JSONValue? {
    if let archived = attribute.archivedDefaultValue {
      return Self.tagged("archive", .text(archived.data().base64EncodedString()))
    }
    guard let value = attribute.defaultValue else { return nil }
    if let plain = plainDefault(value, type: attribute.attributeType) { return plain }
    // The value's type is not that of the attribute, or JSON cannot represent the value.
    return Self.tagged("archive", try archive(value, entity: entity, property: attribute.name))
  }

  private func plainDefault(_ value: Any, type: NSAttributeType) -> JSONValue? {
    switch (type, value) {
    case (.stringAttributeType, let text as String): .text(text)
    case (.dateAttributeType, let date as Date): Self.number(date.timeIntervalSinceReferenceDate)
    case (.binaryDataAttributeType, let data as Data): .text(data.base64EncodedString())
    case (.UUIDAttributeType, let id as UUID): .text(id.uuidString)
    case (.URIAttributeType, let url as URL): .text(url.absoluteString)
    case (.decimalAttributeType, let number as NSDecimalNumber):
      .text(number.decimalValue.scaledText)
    case (.booleanAttributeType, let number as NSNumber): .truth(number.boolValue)
    case (.doubleAttributeType, let number as NSNumber),
      (.floatAttributeType, let number as NSNumber):
      Self.number(number.doubleValue)
    case (let type, let number as NSNumber) where type.isInteger: .number("\(number.int64Value)")
    default: nil
    }
  }

  /// Returns a floating-point number with a point or an exponent; nil if JSON cannot represent it.
  private static func number(_ number: Double) -> JSONValue? {
    number.isFinite ? .number("\(number)") : nil
  }

  private static func tagged(_ name: String, _ value: JSONValue) -> JSONValue {
    .object([JSONValue.Member(name: name, value: value)])
  }

  /// Returns the JSON of a validation rule.
  func rule(_ rule: ValidationRule, of entity: String, property: String) throws -> JSONValue {
    var object = JSONObject()
    switch rule.condition {
    case .minimum(let bound): object.add("minimum", Self.bound(bound))
    case .maximum(let bound): object.add("maximum", Self.bound(bound))
    case .minimumLength(let length): object.add("minimumLength", .number(length))
    case .maximumLength(let length): object.add("maximumLength", .number(length))
    case .matches(let pattern): object.add("matches", pattern)
    case .format(let text): object.add("predicate", text)
    case .predicate(let predicate):
      guard let text = predicate.fileText else {
        throw ModelFileError.invalid(
          url, entity: entity, property: property,
          "JSON cannot represent the predicate '\(predicate.formatText)', which has no text form.")
      }
      object.add("predicate", text)
    }
    guard rule.warning != .code(rule.condition.defaultCode) else { return object.value }
    switch rule.warning {
    case .code(let code): object.add("code", .number(code))
    case .message(let text): object.add("message", text)
    }
    return object.value
  }

  private static func bound(_ bound: ValidationRule.Bound) -> JSONValue {
    switch bound {
    case .integer(let number): .number("\(number)")
    case .real(let number): self.number(number) ?? tagged("real", .text("\(number)"))
    case .decimal(let number): .text(number.scaledText)
    case .date(let date):
      tagged(
        "date",
        self.number(date.timeIntervalSinceReferenceDate)
          ?? .text("\(date.timeIntervalSinceReferenceDate)"))
    }
  }
}

extension ValidationRule.Condition {
  var isMinimum: Bool {
    switch self {
    case .minimum, .minimumLength: true
    default: false
    }
  }

  var isMaximum: Bool {
    switch self {
    case .maximum, .maximumLength: true
    default: false
    }
  }
}
