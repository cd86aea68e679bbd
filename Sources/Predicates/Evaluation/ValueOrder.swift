/// Determines the order of values, like `compare:`.
package enum ValueOrder {
  /// Returns the order of two values; nil if one is null or their types have no common order.
  package static func compare(_ left: Scalar, _ right: Scalar) -> ComparisonResult? {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): return order(a, b)
    case (.double(let a), .double(let b)): return order(a, b)
    case (.text(let a), .text(let b)):
      // Not with `options: []`: the optimizer of Swift 6.3 stops with "Found ownership error" if it inlines that method.
      return StringMatcher.compare(a, b, Folding([]))
    case (.date(let a), .date(let b)): return order(a, b)
    case (.uuid(let a), .uuid(let b)): return order(a.uuidString, b.uuidString)
    case (.url(let a), .url(let b)): return order(a.absoluteString, b.absoluteString)
    case (.data(let a), .data(let b)):
      return a.lexicographicallyPrecedes(b)
        ? .orderedAscending : b.lexicographicallyPrecedes(a) ? .orderedDescending : .orderedSame
    default:
      guard left.isNumber, right.isNumber else { return nil }
      return compareNumbers(left, right)
    }
  }

  /// Returns the order of two numbers of any type, exact for those that fit in an `Int64`; not-a-number comes first.
  static func compareNumbers(_ left: Scalar, _ right: Scalar) -> ComparisonResult {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): return order(a, b)
    case (.unsigned(let a), .unsigned(let b)): return order(a, b)
    // A scalar is unsigned only above `Int64.max`.
    case (.unsigned, .integer): return .orderedDescending
    case (.integer, .unsigned): return .orderedAscending
    case (.integer(let a), .double(let b)): return compare(a, b)
    case (.double(let a), .integer(let b)): return reversed(compare(b, a))
    case (.decimal, _), (_, .decimal):
      if let a = left.decimalValue, let b = right.decimalValue { return order(a, b) }
    default: break
    }
    return order(left.doubleValue ?? .nan, right.doubleValue ?? .nan)
  }

  private static func compare(_ whole: Int64, _ double: Double) -> ComparisonResult {
    // Doubles represent integers exactly only up to 2^53.
    if whole.magnitude < 1 << 53 { return order(Double(whole), double) }
    if double.isNaN { return .orderedDescending }
    // Such a double is greater than all 64-bit integers, which end at about 9.22e18.
    if double >= 9.3e18 { return .orderedAscending }
    if double <= -9.3e18 { return .orderedDescending }
    let rounded = double.rounded(.towardZero)
    guard let other = Int64(exactly: rounded) else {
      return double > 0 ? .orderedAscending : .orderedDescending
    }
    // With equal integer parts, the fraction decides; its sign is that of the double.
    return whole == other ? order(0, double - rounded) : order(whole, other)
  }

  static func reversed(_ result: ComparisonResult) -> ComparisonResult {
    switch result {
    case .orderedAscending: .orderedDescending
    case .orderedSame: .orderedSame
    case .orderedDescending: .orderedAscending
    }
  }

  static func order<Value: Comparable>(_ left: Value, _ right: Value) -> ComparisonResult {
    left < right ? .orderedAscending : right < left ? .orderedDescending : .orderedSame
  }

  static func order(_ left: Double, _ right: Double) -> ComparisonResult {
    if left.isNaN || right.isNaN {
      return left.isNaN && right.isNaN
        ? .orderedSame : left.isNaN ? .orderedAscending : .orderedDescending
    }
    return left < right ? .orderedAscending : left > right ? .orderedDescending : .orderedSame
  }
}
