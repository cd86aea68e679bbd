/// A value as comparisons see it: which of the types that have an order it is, whatever Swift or
/// Foundation type it came in.
///
/// Numbers, texts and dates need no box in it. The functions of predicates take and return it: `PredefinedFunction`,
/// `Statistic`, `ValueCast` and the messages of `FUNCTION`. Evaluation in memory and the store's SQL functions call
/// this same code, so that they agree.
package enum Scalar {
  /// nil or `NSNull`.
  case null
  /// A whole number or boolean.
  case integer(Int64)
  /// A whole number above `Int64.max`.
  case unsigned(UInt64)
  case double(Double)
  case decimal(Decimal)
  case text(String)
  case date(Date)
  case data(Data)
  case uuid(UUID)
  case url(URL)
  /// Anything else: an object, a collection.
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

  /// The text that string operators look at: that of an address, too, as a column keeps addresses.
  package var matchedText: String? {
    switch self {
    case .text(let text): text
    case .url(let url): url.absoluteString
    default: nil
    }
  }

  /// A number as a `Double`, the nearest where it has more digits; nil for anything else.
  package var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .double(let value): value
    // By way of the digits: Foundation's own conversion loses the last ones.
    case .decimal(let value): Double(value.description) ?? .nan
    default: nil
    }
  }

  /// A number as an `Int64`; nil where it is none or has a fraction or too many digits.
  package var integerValue: Int64? {
    switch self {
    case .integer(let value): value
    case .unsigned: nil
    case .double(let value): Int64(exactly: value)
    case .decimal(let value): Int64(value.description)
    default: nil
    }
  }

  /// A number as a `Decimal`; nil for anything else, and for infinity, not-a-number and what is too large.
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
