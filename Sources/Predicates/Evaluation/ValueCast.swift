import Foundation

/// The conversions of `CAST(value, "Type")`.
enum ValueCast {
  /// A constant converted while parsing: the forms in which constants print, so that what prints
  /// reads back. Nil for what is left to evaluation.
  static func constant(_ value: Any, to type: String) -> Any? {
    switch (type, Scalar(value)) {
    case ("NSDate", let number) where number.isNumber:
      return number.doubleValue.map(Date.init(timeIntervalSinceReferenceDate:))
    case ("NSData", .text(let text)): return Data(base64Encoded: text)
    case ("NSURL", .text(let text)): return URL(string: text)
    case ("NSUUID", .text(let text)): return UUID(uuidString: text)
    case ("NSDecimalNumber", .text(let text)): return Decimal(string: text)
    case ("NSNumber", .text(let text)): return Double(text)
    default: return nil
    }
  }

  /// A value converted while evaluating; nil stays nil.
  static func value(_ value: Any?, to type: String) throws -> Any? {
    let scalar = Scalar(value)
    if scalar.isNull { return nil }
    if let value, let converted = constant(value, to: type) { return converted }
    switch (type, scalar) {
    case ("NSString", .text), ("NSDate", .date), ("NSData", .data), ("NSURL", .url),
      ("NSUUID", .uuid):
      return value
    case ("NSNumber", _) where scalar.isNumber: return value
    case ("NSDecimalNumber", _) where scalar.isNumber: return scalar.decimalValue
    case ("NSString", .uuid(let uuid)): return uuid.uuidString
    case ("NSString", .url(let url)): return url.absoluteString
    case ("NSString", _) where scalar.isNumber: return ConstantPrinter.number(scalar)
    case ("NSNumber", .date(let date)): return date.timeIntervalSinceReferenceDate
    default:
      throw InvalidPredicateError(
        "CAST does not make a value of type \(value.map { "\(Swift.type(of: $0))" } ?? "nil") into \(type)"
      )
    }
  }
}
