/// A value in the form that comparisons use, regardless of the Swift or Foundation type that it had.
///
/// Numbers, strings and dates are stored without a heap allocation. The functions of predicates take and return
/// scalars: `PredefinedFunction`, `Statistic`, `ValueCast` and the methods of `FUNCTION`. Evaluation in memory and the
/// store's SQL functions call this same code, so that they agree.
package enum Scalar {
  /// nil or `NSNull`.
  case null
  /// An integer or boolean.
  case integer(Int64)
  /// An integer above `Int64.max`.
  case unsigned(UInt64)
  case double(Double)
  case decimal(Decimal)
  case text(String)
  case date(Date)
  case data(Data)
  case uuid(UUID)
  case url(URL)
  /// Any other value, such as an object or a collection.
  case other(Any)

  package init(_ value: Any?) {
    guard let value else {
      self = .null
      return
    }
    switch value {
    case let value as any ScalarConvertible: self = value.scalar
    default:
      if let inner = flattenOptional(value) {
        self = inner is any ScalarConvertible ? Scalar(inner) : .other(inner)
      } else {
        self = .null
      }
    }
  }

  /// Whether the value is nil or `NSNull`.
  package var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// Whether the value is a number or boolean.
  package var isNumber: Bool {
    switch self {
    case .integer, .unsigned, .double, .decimal: true
    default: false
    }
  }

  /// The text that string operators match. For a URL it is the absolute string, which a column stores.
  package var matchedText: String? {
    switch self {
    case .text(let text): text
    case .url(let url): url.absoluteString
    default: nil
    }
  }

  /// A number as the nearest `Double`; nil for any other value.
  package var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .double(let value): value
    // Convert via the digits, because Foundation's own conversion loses the last ones.
    case .decimal(let value): Double(value.description) ?? .nan
    default: nil
    }
  }

  /// A number as an `Int64`; nil if the value is not a number, has a fraction or does not fit.
  package var integerValue: Int64? {
    switch self {
    case .integer(let value): value
    case .unsigned: nil
    case .double(let value): Int64(exactly: value)
    case .decimal(let value): Int64(value.description)
    default: nil
    }
  }

  /// A number as a `Decimal`; nil for any other value, infinity, not-a-number, or a number that does not fit.
  package var decimalValue: Decimal? {
    switch self {
    case .integer(let value): Decimal(value)
    case .unsigned(let value): Decimal(value)
    case .double(let value): Decimal(nearest: value)
    case .decimal(let value): value
    default: nil
    }
  }
}
