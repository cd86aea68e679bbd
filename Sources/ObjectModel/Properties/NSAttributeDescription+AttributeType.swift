extension NSAttributeDescription {
  /// The type of an attribute's values, as newer code spells it.
  ///
  /// It is equivalent to ``NSAttributeType``, which is its `rawValue`.
  public struct AttributeType: RawRepresentable, Hashable, Sendable {
    /// The equivalent ``NSAttributeType``.
    public let rawValue: NSAttributeType

    /// Creates the type from an ``NSAttributeType``.
    public init(rawValue: NSAttributeType) {
      self.rawValue = rawValue
    }

    /// No type; valid only for transient attributes.
    public static let undefined = Self(rawValue: .undefinedAttributeType)
    /// A 16-bit signed integer.
    public static let integer16 = Self(rawValue: .integer16AttributeType)
    /// A 32-bit signed integer.
    public static let integer32 = Self(rawValue: .integer32AttributeType)
    /// A 64-bit signed integer.
    public static let integer64 = Self(rawValue: .integer64AttributeType)
    /// A `Decimal`.
    public static let decimal = Self(rawValue: .decimalAttributeType)
    /// A double-precision number.
    public static let double = Self(rawValue: .doubleAttributeType)
    /// A single-precision number.
    public static let float = Self(rawValue: .floatAttributeType)
    /// A string.
    public static let string = Self(rawValue: .stringAttributeType)
    /// A boolean.
    public static let boolean = Self(rawValue: .booleanAttributeType)
    /// A date.
    public static let date = Self(rawValue: .dateAttributeType)
    /// Binary data.
    public static let binaryData = Self(rawValue: .binaryDataAttributeType)
    /// A universally unique identifier.
    public static let uuid = Self(rawValue: .UUIDAttributeType)
    /// A uniform resource identifier.
    public static let uri = Self(rawValue: .URIAttributeType)
    /// Any object, through a value transformer.
    public static let transformable = Self(rawValue: .transformableAttributeType)
    /// A managed object ID.
    public static let objectID = Self(rawValue: .objectIDAttributeType)
    /// A group of named elements.
    public static let composite = Self(rawValue: .compositeAttributeType)
  }

  /// The type of the attribute's values; equivalent to ``attributeType``.
  public final var type: AttributeType {
    get { AttributeType(rawValue: attributeType) }
    set { attributeType = newValue.rawValue }
  }
}
