/// Converts the texts of a model file to values of an attribute's type.
struct AttributeValues {
  let url: URL?
  let entity: String
  let property: String
  let type: NSAttributeType

  /// Sets an attribute's default value and validation rules from the texts and the pattern, and stores the texts.
  ///
  /// - Returns: Notes about texts that are not values of the type and are ignored.
  func apply(
    _ texts: EditorTexts, pattern: String?, to attribute: NSAttributeDescription
  ) throws -> [String] {
    attribute.editorTexts = texts
    attribute.defaultValue = try defaultValue(texts.defaultValue)
    let minimum = try rule(isMinimum: true, texts.minimum)
    let maximum = try rule(isMinimum: false, texts.maximum)
    let match = pattern.flatMap { $0.isEmpty ? nil : ValidationRule(.matches($0)) }
    attribute.validationRules = [minimum, maximum, match].compactMap { $0 }
    return notes(on: texts)
  }

  /// Returns the default value for a string in a file or, for a date, for a number of seconds since 2001.
  ///
  /// Returns nil if there is no text, for types whose values have no text form, and for a string that is not a valid
  /// UUID, URL, date or base64: the editor accepts such a string, and in Apple's Core Data the attribute then has no
  /// default value. An empty text is a value only for a string attribute.
  ///
  /// - Throws: An error for a text that is not a number or boolean although the type requires one.
  func defaultValue(_ typed: EditorTexts.Value?) throws -> Any? {
    if type == .dateAttributeType { return try date(typed, what: "default value") }
    guard let text = typed?.text else { return nil }
    if type == .stringAttributeType { return text }
    guard !text.isEmpty else { return nil }
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      return NSNumber(value: try integer(text, what: "default value"))
    case .doubleAttributeType, .floatAttributeType:
      return NSNumber(value: try real(text, what: "default value"))
    case .decimalAttributeType:
      return NSDecimalNumber(decimal: try decimal(text, what: "default value"))
    case .booleanAttributeType:
      return NSNumber(value: try truth(text))
    case .UUIDAttributeType: return UUID(uuidString: text)
    case .URIAttributeType: return URL(string: text)
    case .binaryDataAttributeType: return Data(base64Encoded: text)
    case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType,
      .compositeAttributeType, .stringAttributeType, .dateAttributeType:
      // Strings and dates were handled above. Values of the other types have no text form; the editor retains a string
      // that was typed for an earlier type of the attribute.
      return nil
    }
  }

  /// Returns notes about texts that are not values of the type and are ignored.
  private func notes(on texts: EditorTexts) -> [String] {
    let isIgnored: (EditorTexts.Value?) -> Bool = { typed in
      guard let typed, typed.text?.isEmpty == false, typed.interval == nil else { return false }
      let value = try? defaultValue(typed)
      return value == nil
    }
    let places: [(String, EditorTexts.Value?)]
    switch type {
    case .dateAttributeType:
      places = [
        ("default", texts.defaultValue), ("minimum", texts.minimum), ("maximum", texts.maximum),
      ]
    case .UUIDAttributeType, .URIAttributeType, .binaryDataAttributeType:
      places = [("default", texts.defaultValue)]
    default: return []
    }
    return places.filter { isIgnored($0.1) }.map { name, typed in
      "\(name) value '\(typed?.text ?? "")' of the attribute '\(entity).\(property)', "
        + "which is not a valid \(type.modelFileName)"
    }
  }

  /// Returns the rule for a minimum or maximum value or, for strings, for a minimum or maximum length. Returns nil if
  /// the text is empty, if the attribute is a date and the text is not, and for types without bounds.
  func rule(isMinimum: Bool, _ typed: EditorTexts.Value?) throws -> ValidationRule? {
    let what = isMinimum ? "minimum value" : "maximum value"
    func bound(_ bound: ValidationRule.Bound) -> ValidationRule {
      ValidationRule(isMinimum ? .minimum(bound) : .maximum(bound))
    }
    if type == .dateAttributeType { return try date(typed, what: what).map { bound(.date($0)) } }
    guard let text = typed?.text, !text.isEmpty else { return nil }
    switch type {
    case .booleanAttributeType, .binaryDataAttributeType, .UUIDAttributeType, .URIAttributeType,
      .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType,
      .compositeAttributeType, .dateAttributeType:
      // Dates were handled above. The other types have no minimum and maximum; the text remains from an earlier type of
      // the attribute.
      return nil
    case .stringAttributeType:
      let length = Int(clamping: try integer(text, what: what))
      return ValidationRule(isMinimum ? .minimumLength(length) : .maximumLength(length))
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      // `integer` accepts "0.0", too, because Xcode does.
      return bound(.integer(try integer(text, what: what)))
    case .doubleAttributeType, .floatAttributeType:
      return bound(.real(try real(text, what: what)))
    case .decimalAttributeType:
      return bound(.decimal(try decimal(text, what: what)))
    }
  }

  private func integer(_ text: String, what: String) throws -> Int64 {
    if let value = Int64(text) { return value }
    // The editor retains the text when an attribute's type changes, such as the "NO" of a former boolean.
    if let truth = Self.truths[text.uppercased()] { return truth ? 1 : 0 }
    if let value = Double(text), let whole = Int64(exactly: value.rounded(.towardZero)) {
      return whole
    }
    throw refusal(text, what)
  }

  private func real(_ text: String, what: String) throws -> Double {
    if let truth = Self.truths[text.uppercased()] { return truth ? 1 : 0 }
    guard let value = Double(text), !value.isNaN else { throw refusal(text, what) }
    return value
  }

  private func decimal(_ text: String, what: String) throws -> Decimal {
    if let truth = Self.truths[text.uppercased()] { return truth ? 1 : 0 }
    guard let value = Decimal(scaled: text), !value.isNaN else { throw refusal(text, what) }
    return value
  }

  private func truth(_ text: String) throws -> Bool {
    if let truth = Self.truths[text.uppercased()] { return truth }
    // Also accept the "0.0" of a former number.
    guard let number = Double(text), !number.isNaN else { throw refusal(text, "default value") }
    return number != 0
  }

  private static let truths = ["YES": true, "TRUE": true, "NO": false, "FALSE": false]

  /// Returns the date for seconds since 2001 or for a string; nil for a string that is not a date.
  private func date(_ typed: EditorTexts.Value?, what: String) throws -> Date? {
    // The number comes first, because it is exact, while the text has only whole seconds.
    if let interval = typed?.interval {
      guard let seconds = Double(interval), seconds.isFinite else { throw refusal(interval, what) }
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    guard let text = typed?.text, !text.isEmpty else { return nil }
    let formatter = Self.dateFormatter()
    for form in [
      "yyyy-MM-dd HH:mm:ss Z", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm", "yyyy-MM-dd",
    ] {
      formatter.dateFormat = form
      if let date = formatter.date(from: text) { return date }
    }
    return nil
  }

  /// Creates a formatter for the date format of the model editor.
  static func dateFormatter() -> DateFormatter {
    let formatter = DateFormatter()
    // Locale and time zone are fixed, because a file must not depend on the settings of the
    // machine.
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss Z"
    return formatter
  }

  private func refusal(_ text: String, _ what: String) -> NSError {
    ModelFileError.invalid(
      url, entity: entity, property: property,
      "the \(what) '\(text)' does not fit the type \(type.modelFileName).")
  }
}
