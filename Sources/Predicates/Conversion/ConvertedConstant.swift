/// Converts Swift values to constants of predicates.
enum ConvertedConstant {
  /// Returns a constant expression for a value; nil if predicates do not support its type.
  static func expression(_ value: Any) -> NSExpression? {
    guard let value = flattenOptional(value) else { return NSExpression(forConstantValue: nil) }
    if let range = value as? any ClosedBounds {
      guard let bounds = range.bounds else { return nil }
      return NSExpression(forAggregate: [bounds.lower, bounds.upper])
    }
    return constant(value).map { NSExpression(forConstantValue: $0) }
  }

  /// Returns the value in the form that predicates use.
  private static func constant(_ value: Any) -> Any? {
    guard let value = flattenOptional(value) else { return NSNull() }
    switch value {
    // This case precedes the one for collections, in which a range of integers would become the list of
    // its numbers.
    case is any RangeExpression: return nil
    case let result as ComparisonResult: return result.rawValue
    case let character as Character: return String(character)
    case let number as CGFloat: return Double(number)
    case is any ScalarConvertible, is NSObject: return value
    case let dictionary as [String: Any]:
      let values = dictionary.compactMapValues(constant)
      return values.count == dictionary.count ? values : nil
    case let elements as any Collection: return constants(elements)
    default: return nil
    }
  }

  private static func constants(_ elements: some Collection) -> [Any]? {
    var values: [Any] = []
    for element in elements {
      guard let value = constant(element) else { return nil }
      values.append(value)
    }
    return values
  }
}

/// A range that includes both bounds.
private protocol ClosedBounds {
  var bounds: (lower: NSExpression, upper: NSExpression)? { get }
}

extension ClosedRange: ClosedBounds {
  var bounds: (lower: NSExpression, upper: NSExpression)? {
    guard let lower = ConvertedConstant.expression(lowerBound),
      let upper = ConvertedConstant.expression(upperBound)
    else { return nil }
    return (lower, upper)
  }
}
