/// Converts values of an attribute to the texts of a model file. Returns the text that was typed in the model editor
/// if it still represents the value; otherwise, formats the value.
struct AttributeTexts {
  private let attribute: NSAttributeDescription
  private let values: AttributeValues

  init(_ attribute: NSAttributeDescription, entity: String) {
    self.attribute = attribute
    values = AttributeValues(
      url: nil, entity: entity, property: attribute.name, type: attribute.attributeType)
  }

  /// Returns the text of the default value, or an empty `Value` if there is none; nil if the value does not fit the
  /// type.
  func defaultValue() -> EditorTexts.Value? {
    let value = attribute.defaultValue
    if let typed = attribute.editorTexts.defaultValue, isDefault(typed) { return typed }
    // Check for a missing value only after the typed text, because the editor retains a string that is not a value
    // of the type; the default value is then nil.
    guard let value else { return EditorTexts.Value() }
    switch (attribute.attributeType, value) {
    case (.dateAttributeType, let date as Date): return Self.value(of: date)
    case (.stringAttributeType, let text as String): return EditorTexts.Value(text: text)
    case (.booleanAttributeType, let number as NSNumber):
      return EditorTexts.Value(text: number.boolValue ? "YES" : "NO")
    case (.decimalAttributeType, let number as NSDecimalNumber):
      return EditorTexts.Value(text: number.decimalValue.scaledText)
    case (.doubleAttributeType, let number as NSNumber),
      (.floatAttributeType, let number as NSNumber):
      return EditorTexts.Value(text: "\(number.doubleValue)")
    case (let type, let number as NSNumber) where type.isInteger:
      return EditorTexts.Value(text: "\(number.int64Value)")
    case (.UUIDAttributeType, let id as UUID): return EditorTexts.Value(text: id.uuidString)
    case (.URIAttributeType, let url as URL): return EditorTexts.Value(text: url.absoluteString)
    case (.binaryDataAttributeType, let data as Data):
      return EditorTexts.Value(text: data.base64EncodedString())
    default: return nil
    }
  }

  /// Returns whether the attribute can be read from a source that contains this default value.
  func isReadable(_ defaultValue: EditorTexts.Value) -> Bool {
    do {
      _ = try values.defaultValue(defaultValue)
      return true
    } catch {
      return false
    }
  }

  /// Returns whether a string represents the attribute's default value.
  private func isDefault(_ typed: EditorTexts.Value) -> Bool {
    do {
      return try values.defaultValue(typed) as? AnyHashable
        == attribute.defaultValue as? AnyHashable
    } catch {
      return false
    }
  }

  /// Returns the text of the minimum or maximum value or length.
  func bound(
    _ condition: ValidationRule.Condition?, isMinimum: Bool
  ) -> EditorTexts.Value {
    let texts = attribute.editorTexts
    if let typed = isMinimum ? texts.minimum : texts.maximum {
      let said = try? values.rule(isMinimum: isMinimum, typed)
      if said?.condition.boundText == condition?.boundText { return typed }
    }
    switch condition {
    case .minimum(.date(let date)), .maximum(.date(let date)): return Self.value(of: date)
    default: return EditorTexts.Value(text: condition?.boundText)
    }
  }

  /// Returns a date in the model editor's two formats: a number, and a readable string.
  private static func value(of date: Date) -> EditorTexts.Value {
    let seconds = date.timeIntervalSinceReferenceDate
    // No calendar has a date for not-a-number or infinity.
    return EditorTexts.Value(
      text: seconds.isFinite ? AttributeValues.dateFormatter().string(from: date) : nil,
      interval: Int64(exactly: seconds).map { "\($0)" } ?? "\(seconds)")
  }
}

extension ValidationRule.Condition {
  /// The bound as text; nil for other conditions.
  fileprivate var boundText: String? {
    switch self {
    case .minimumLength(let length), .maximumLength(let length): "\(length)"
    case .minimum(let bound), .maximum(let bound):
      switch bound {
      case .integer(let number): "\(number)"
      case .real(let number): "\(number)"
      case .decimal(let number): number.scaledText
      case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
      }
    case .matches, .format, .predicate: nil
    }
  }
}
