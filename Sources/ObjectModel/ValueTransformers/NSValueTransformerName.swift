/// The name under which a value transformer is registered.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name in models.
  public let rawValue: String

  /// Creates a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates a name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// Negates a boolean.
  public static let negateBooleanTransformerName = Self("NSNegateBoolean")
  /// Returns whether a value is nil.
  public static let isNilTransformerName = Self("NSIsNil")
  /// Returns whether a value is not nil.
  public static let isNotNilTransformerName = Self("NSIsNotNil")
  /// Reads archives that predate keyed archives. No transformer is registered under this name here.
  public static let unarchiveFromDataTransformerName = Self("NSUnarchiveFromData")
  /// Reads keyed archives. Here it is the same as ``secureUnarchiveFromDataTransformerName``.
  public static let keyedUnarchiveFromDataTransformerName = Self("NSKeyedUnarchiveFromData")
  /// Reads keyed archives of allowed classes. Transformable attributes use it by default.
  public static let secureUnarchiveFromDataTransformerName = Self("NSSecureUnarchiveFromData")
}
