/// The name under which a value transformer is registered.
///
/// ```swift
/// let negate = ValueTransformer(forName: .negateBooleanTransformerName)
/// print(negate?.transformedValue(true) as? Bool ?? true)  // false
/// ```
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name in models.
  public let rawValue: String

  /// Creates a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates a name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// The transformer that negates a Boolean.
  public static let negateBooleanTransformerName = Self("NSNegateBoolean")
  /// The transformer that returns whether a value is nil.
  public static let isNilTransformerName = Self("NSIsNil")
  /// The transformer that returns whether a value is not nil.
  public static let isNotNilTransformerName = Self("NSIsNotNil")
  /// In Apple's Foundation, the transformer that reads archives older than keyed archives. This library registers no
  /// transformer under this name.
  public static let unarchiveFromDataTransformerName = Self("NSUnarchiveFromData")
  /// The transformer that reads keyed archives. In this library it is an
  /// ``NSSecureUnarchiveFromDataTransformer``, like that of ``secureUnarchiveFromDataTransformerName``.
  public static let keyedUnarchiveFromDataTransformerName = Self("NSKeyedUnarchiveFromData")
  /// The transformer that reads keyed archives of allowed classes. Transformable attributes use it by default.
  public static let secureUnarchiveFromDataTransformerName = Self("NSSecureUnarchiveFromData")
}
