extension ModelJSONReader {
  /// Reads the default value of an attribute: JSON for a value of the attribute's type, or an object with an archive.
  func readDefault(_ fields: inout JSONFields, of attribute: NSAttributeDescription) throws {
    guard let value = fields.value("default") else { return }
    if case .object = value {
      var tagged = try JSONFields(value, path: fields.path(of: "default"), url: url)
      guard let data = try tagged.data("archive") else {
        throw tagged.failure("archive", "the key is missing.")
      }
      guard let archive = try? KeyedArchive(data: data) else {
        throw tagged.failure("archive", "it is not an archive.")
      }
      try tagged.finish()
      attribute.defaultValue = archive.swiftValue(.uid(archive.root))
      // An object of an unknown class stays archived, as it does when a compiled model is read.
      if attribute.defaultValue == nil { attribute.archivedDefaultValue = archive }
      return
    }
    guard let plain = plainDefault(value, type: attribute.attributeType) else {
      throw fields.failure(
        "default",
        "\(value.kind) is not a value of the type \(attribute.attributeType.modelFileName).")
    }
    attribute.defaultValue = plain
  }

  private func plainDefault(_ value: JSONValue, type: NSAttributeType) -> Any? {
    switch (type, value) {
    case (.stringAttributeType, .text(let text)): text
    case (.dateAttributeType, .number(let text)):
      Self.real(text).map { Date(timeIntervalSinceReferenceDate: $0) }
    case (.binaryDataAttributeType, .text(let text)): Data(base64Encoded: text)
    case (.UUIDAttributeType, .text(let text)): UUID(uuidString: text)
    case (.URIAttributeType, .text(let text)): URL(string: text)
    case (.decimalAttributeType, .text(let text)):
      Decimal(scaled: text).map { NSDecimalNumber(decimal: $0) }
    case (.booleanAttributeType, .truth(let truth)): NSNumber(value: truth)
    case (.doubleAttributeType, .number(let text)), (.floatAttributeType, .number(let text)):
      Self.real(text).map { NSNumber(value: $0) }
    case (let type, .number(let text)) where type.isInteger:
      Int64(text).map { NSNumber(value: $0) }
    default: nil
    }
  }

  private static func real(_ text: String) -> Double? {
    Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  /// Returns the number in a value, which may be a string, because JSON has no numbers for infinity and not-a-number.
  private static func anyReal(_ value: JSONValue) -> Double? {
    switch value {
    case .number(let text): real(text)
    case .text(let text): Double(text)
    case .null, .truth, .list, .object: nil
    }
  }

  /// Reads a validation rule.
  func readRule(_ fields: inout JSONFields) throws -> ValidationRule {
    let condition = try readCondition(&fields)
    let code = try fields.integer("code")
    let message = try fields.text("message")
    // The warning of a rule is either a code or a message.
    guard code == nil || message == nil else {
      throw fields.failure("message", "it conflicts with 'code'.")
    }
    return ValidationRule(
      condition, warning: message.map { .message($0) } ?? code.map { .code($0) })
  }

  private func readCondition(_ fields: inout JSONFields) throws -> ValidationRule.Condition {
    if let bound = try readBound(&fields, "minimum") { return .minimum(bound) }
    if let bound = try readBound(&fields, "maximum") { return .maximum(bound) }
    if let length = try fields.integer("minimumLength") { return .minimumLength(length) }
    if let length = try fields.integer("maximumLength") { return .maximumLength(length) }
    if let pattern = try fields.text("matches") { return .matches(pattern) }
    return .format(try fields.requiredText("predicate"))
  }

  private func readBound(
    _ fields: inout JSONFields, _ name: String
  ) throws -> ValidationRule.Bound? {
    guard let value = fields.value(name) else { return nil }
    switch value {
    case .number(let text):
      if let number = Int64(text) { return .integer(number) }
      if let number = Self.real(text) { return .real(number) }
    case .text(let text):
      if let number = Decimal(scaled: text) { return .decimal(number) }
    case .object:
      var tagged = try JSONFields(value, path: fields.path(of: name), url: url)
      if let date = tagged.value("date") {
        try tagged.finish()
        if let seconds = Self.anyReal(date) {
          return .date(Date(timeIntervalSinceReferenceDate: seconds))
        }
      } else {
        let text = try tagged.requiredText("real")
        try tagged.finish()
        if let number = Self.anyReal(.text(text)) { return .real(number) }
      }
    case .null, .truth, .list: break
    }
    throw fields.failure(name, "it is not a bound: a number, a decimal as a string, or a date.")
  }
}
