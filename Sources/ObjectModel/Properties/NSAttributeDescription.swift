/// A property with a value of its own: a number, a string, a date, bytes.
nonisolated open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
  /// The type of the values. Undefined unless set.
  open var attributeType: NSAttributeType = .undefinedAttributeType {
    willSet { willChange() }
  }

  /// The value that a new object starts with, of the attribute's type; nil for none.
  ///
  /// Numbers and truth values are `NSNumber`s, decimals `NSDecimalNumber`s, the others `String`, `Date`, `Data`,
  /// `UUID` and `URL`. A number of Swift's that is set reads back as an `NSNumber`, which casts to each type that
  /// holds it.
  open var defaultValue: Any? {
    get { explicitDefaultValue }
    set {
      willChange()
      explicitDefaultValue = BridgedValue.bridged(newValue)
    }
  }
  private final var explicitDefaultValue: Any?

  /// The name of the transformer between a transformable attribute's value and its bytes.
  open var valueTransformerName: String? {
    willSet { willChange() }
  }

  /// Whether a large binary value may be kept in a file of its own beside the store.
  open var allowsExternalBinaryDataStorage = false {
    willSet { willChange() }
  }

  /// Whether the value is kept in the persistent history when its object is deleted.
  open var preservesValueInHistoryOnDeletion = false {
    willSet { willChange() }
  }

  /// Whether the value is encrypted in the cloud. Kept, and used by nothing here.
  open var allowsCloudEncryption = false {
    willSet { willChange() }
  }

  /// The class of the values as the model says it, or nil where the type decides.
  package final var customValueClassName: String? {
    willSet { willChange() }
  }

  /// Whether generated code uses a scalar for the value, as the model file says; nil where it does
  /// not say.
  package final var usesScalarValueType: Bool? {
    willSet { willChange() }
  }

  /// A default value of a class that is known to the program which made the model, as it was
  /// archived; ``defaultValue`` is nil then.
  package final var archivedDefaultValue: KeyedArchive? {
    willSet { willChange() }
  }

  /// The values as the model file has them, word for word.
  package final var editorTexts = EditorTexts() {
    willSet { willChange() }
  }

  /// The name of the class of the attribute's values on Apple's platforms, such as `NSNumber`; nil
  /// for a transformable attribute that does not say.
  open var attributeValueClassName: String? {
    get { customValueClassName ?? attributeType.defaultValueClassName }
    set { customValueClassName = newValue }
  }

  /// A mutable copy that belongs to no entity.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSAttributeDescription()
    copyAttributeState(to: copy)
    return copy
  }

  /// Gives another attribute everything that this class and the ones above keep.
  final func copyAttributeState(to other: NSAttributeDescription) {
    copyState(to: other)
    other.attributeType = attributeType
    other.defaultValue = defaultValue
    other.valueTransformerName = valueTransformerName
    other.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
    other.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
    other.allowsCloudEncryption = allowsCloudEncryption
    other.customValueClassName = customValueClassName
    other.usesScalarValueType = usesScalarValueType
    other.editorTexts = editorTexts
    other.archivedDefaultValue = archivedDefaultValue
  }
}

/// What a model file says of an attribute's values, word for word, so that writing gives it again.
///
/// Each is told only while the attribute still has the value that the words say.
package struct EditorTexts: Hashable, Sendable {
  /// One value as a file has it: a text, and for dates the seconds since 2001.
  package struct Value: Hashable, Sendable {
    /// The value as typed.
    package var text: String?
    /// The seconds since 2001, as a number's text.
    package var interval: String?
  }

  /// The default value.
  package var defaultValue: Value?
  /// The least value or length.
  package var minimum: Value?
  /// The greatest value or length.
  package var maximum: Value?
}
