/// A value of a property list, with the unique identifiers by which keyed archives refer to objects.
package indirect enum PropertyListValue: Hashable, Sendable {
  /// A truth value.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// A whole number above `Int64.max`.
  case unsigned(UInt64)
  /// A floating-point number.
  case real(Double)
  /// A point in time.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A text.
  case string(String)
  /// A reference to the object at a place in an archive's table.
  case uid(Int)
  /// Values in order.
  case array([PropertyListValue])
  /// Values by key.
  case dictionary([String: PropertyListValue])
}

extension PropertyListValue {
  /// The text, or nil for another kind.
  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }
  /// The values, or nil for another kind.
  package var array: [PropertyListValue]? {
    if case .array(let values) = self { values } else { nil }
  }
  /// The values by key, or nil for another kind.
  package var dictionary: [String: PropertyListValue]? {
    if case .dictionary(let values) = self { values } else { nil }
  }
}
