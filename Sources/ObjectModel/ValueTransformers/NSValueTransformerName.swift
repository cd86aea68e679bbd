/// The name under which a value transformer is registered.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name as models hold it.
  public let rawValue: String

  /// Makes a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// Gives the opposite of a truth value.
  public static let negateBooleanTransformerName = Self("NSNegateBoolean")
  /// Gives whether a value is nil.
  public static let isNilTransformerName = Self("NSIsNil")
  /// Gives whether a value is not nil.
  public static let isNotNilTransformerName = Self("NSIsNotNil")
  /// Reads archives of a form before keyed ones. There is no transformer of this name here.
  public static let unarchiveFromDataTransformerName = Self("NSUnarchiveFromData")
  /// Reads keyed archives; here it does what ``secureUnarchiveFromDataTransformerName`` does.
  public static let keyedUnarchiveFromDataTransformerName = Self("NSKeyedUnarchiveFromData")
  /// Reads keyed archives of classes that are allowed; what transformable attributes use unless
  /// their model says otherwise.
  public static let secureUnarchiveFromDataTransformerName = Self("NSSecureUnarchiveFromData")
}
