/// A value of a property list, including the UIDs by which keyed archives refer to objects.
package indirect enum PropertyListValue: Hashable, Sendable {
  case bool(Bool)
  case integer(Int64)
  /// An integer above `Int64.max`.
  case unsigned(UInt64)
  case real(Double)
  case date(Date)
  case data(Data)
  case string(String)
  /// A reference to the object at an index in an archive's table.
  case uid(Int)
  /// Values in order.
  case array([PropertyListValue])
  /// Values by key.
  case dictionary([String: PropertyListValue])
}

extension PropertyListValue {
  /// The string; nil for any other kind of value.
  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }
  /// The elements; nil for any other kind of value.
  package var array: [PropertyListValue]? {
    if case .array(let values) = self { values } else { nil }
  }
  /// The values by key; nil for any other kind of value.
  package var dictionary: [String: PropertyListValue]? {
    if case .dictionary(let values) = self { values } else { nil }
  }
}
