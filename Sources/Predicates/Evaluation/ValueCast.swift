/// The conversions of `CAST(value, "Type")`.
package enum ValueCast: String {
  case text = "NSString"
  case number = "NSNumber"
  case decimal = "NSDecimalNumber"
  case date = "NSDate"
  case data = "NSData"
  case uuid = "NSUUID"
  case url = "NSURL"

  /// Returns the conversion to a type.
  ///
  /// - Throws: An ``InvalidPredicateError`` for a type to which no value can be converted.
  package static func named(_ type: String) throws -> ValueCast {
    guard let cast = ValueCast(rawValue: type) else {
      throw InvalidPredicateError("CAST does not support the type \"\(type)\"")
    }
    return cast
  }

  /// Converts a value to a type; null stays null.
  ///
  /// A value that cannot be converted becomes null, such as the text `"a"` if the type is a number. Therefore no
  /// value in an object makes the conversion fail.
  ///
  /// - Throws: An ``InvalidPredicateError`` for an unknown type.
  package static func value(
    _ value: Scalar, to type: String, nilRule: NilRule
  ) throws -> Scalar {
    let cast = try named(type)
    let value = nilRule == .store ? value.keptDigits : value
    if value.isNull { return .null }
    guard let result = cast.value(of: value) else { return .null }
    return result.isNotANumber ? .null : result
  }

  /// Returns the converted value; nil if the value cannot be converted.
  package func value(of value: Scalar) -> Scalar? {
    // Try the conversions of the parser first, so that a value and an equal constant have the same result.
    if let converted = constant(value) { return converted }
    switch (self, value) {
    case (.text, .text), (.date, .date), (.data, .data), (.url, .url), (.uuid, .uuid):
      return value
    case (.number, _) where value.isNumber: return value
    case (.decimal, _) where value.isNumber: return value.decimalValue.map(Scalar.decimal)
    case (.text, .uuid(let uuid)): return .text(uuid.uuidString)
    case (.text, .url(let url)): return .text(url.absoluteString)
    case (.text, _) where value.isNumber: return .text(ConstantPrinter.number(value))
    case (.number, .date(let date)): return .double(date.timeIntervalSinceReferenceDate)
    default: return nil
    }
  }

  /// Converts a constant during parsing. It accepts the forms in which constants are printed, so that
  /// printed predicates parse again. The result is nil for conversions that are left to evaluation.
  static func constant(_ value: Any, to type: String) -> Any? {
    ValueCast(rawValue: type)?.constant(Scalar(value))?.boxed
  }

  private func constant(_ value: Scalar) -> Scalar? {
    switch (self, value) {
    case (.date, let number) where number.isNumber:
      return number.doubleValue.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case (.data, .text(let text)): return Data(base64Encoded: text).map(Scalar.data)
    case (.url, .text(let text)): return URL(string: text).map(Scalar.url)
    case (.uuid, .text(let text)): return UUID(uuidString: text).map(Scalar.uuid)
    case (.decimal, .text(let text)): return Decimal(string: text).map(Scalar.decimal)
    case (.number, .text(let text)):
      return Int64(text).map(Scalar.integer) ?? Double(text).map(Scalar.double)
    default: return nil
    }
  }
}
