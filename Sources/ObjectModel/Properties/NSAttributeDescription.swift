/// A property with a plain value, such as a number, a string, a date or data.
nonisolated open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
  /// The type of the values. The default is `undefinedAttributeType`.
  open var attributeType: NSAttributeType = .undefinedAttributeType {
    willSet { willChange() }
  }

  /// The attribute's value in new objects, of the attribute's type; nil for none.
  ///
  /// Numbers and booleans are `NSNumber`, decimals `NSDecimalNumber`, other values `String`, `Date`, `Data`,
  /// `UUID` and `URL`. If a Swift number is set, the property returns an `NSNumber`, which can be cast to each number
  /// type that can represent it.
  open var defaultValue: Any? {
    get { explicitDefaultValue }
    set {
      willChange()
      explicitDefaultValue = BridgedValue.bridged(newValue)
    }
  }
  private final var explicitDefaultValue: Any?

  /// The name of the transformer that converts a transformable attribute's values to data and back. If it is nil or
  /// empty, the attribute uses the transformer with the name
  /// ``NSValueTransformerName/secureUnarchiveFromDataTransformerName``.
  open var valueTransformerName: String? {
    willSet { willChange() }
  }

  /// Whether a large binary value may be stored in a separate file beside the store.
  ///
  /// ```swift
  /// let photo = NSAttributeDescription()
  /// photo.name = "photo"
  /// photo.type = .binaryData
  /// photo.allowsExternalBinaryDataStorage = true
  /// ```
  open var allowsExternalBinaryDataStorage = false {
    willSet { willChange() }
  }

  /// Whether the persistent history keeps the value when its object is deleted.
  ///
  /// ```swift
  /// let version2 = model.copy() as? NSManagedObjectModel ?? model
  /// let email = version2.entitiesByName["Customer"]?.attributesByName["email"]
  /// email?.preservesValueInHistoryOnDeletion = true
  /// ```
  open var preservesValueInHistoryOnDeletion = false {
    willSet { willChange() }
  }

  /// Whether the value is encrypted in the cloud. This library stores the setting, but does not use it.
  open var allowsCloudEncryption = false {
    willSet { willChange() }
  }

  /// The class name of the values if it was set; nil if the attribute's type determines the class.
  package final var customValueClassName: String? {
    willSet { willChange() }
  }

  /// Whether generated code uses a scalar type, according to the model file; nil if the file does not specify it.
  package final var usesScalarValueType: Bool? {
    willSet { willChange() }
  }

  /// The archive of a default value whose class this program does not know; nil if there is a ``defaultValue``, which
  /// replaces it. It is written to compiled models, stores and JSON files. New objects do not get it.
  package final var archivedDefaultValue: KeyedArchive? {
    get { defaultValue == nil ? unknownDefaultValue : nil }
    set {
      willChange()
      unknownDefaultValue = newValue
    }
  }
  private final var unknownDefaultValue: KeyedArchive?

  /// The default value and the bounds exactly as written in the model file.
  package final var editorTexts = EditorTexts() {
    willSet { willChange() }
  }

  /// The class name of the attribute's values on Apple's platforms, such as `NSNumber`; nil for a transformable
  /// attribute, or one without a type, for which no class name was set.
  open var attributeValueClassName: String? {
    get { customValueClassName ?? attributeType.defaultValueClassName }
    set { customValueClassName = newValue }
  }

  /// Returns a mutable copy that belongs to no entity.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSAttributeDescription()
    copyAttributeState(to: copy)
    return copy
  }

  /// Copies all state of this class and its superclasses to another attribute.
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

/// The spellings of an attribute's default value and bounds in a model file, so that writing reproduces them.
///
/// A spelling is used only while the attribute still has the value that it spells.
package struct EditorTexts: Hashable, Sendable {
  /// A value in a file: a string, and for dates the seconds since 2001.
  package struct Value: Hashable, Sendable {
    /// The value as typed.
    package var text: String?
    /// The seconds since 2001 as text.
    package var interval: String?
  }

  /// The default value.
  package var defaultValue: Value?
  /// The minimum value or length.
  package var minimum: Value?
  /// The maximum value or length.
  package var maximum: Value?
}
