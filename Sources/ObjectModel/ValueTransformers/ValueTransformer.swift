/// Converts values of one kind to another, and back.
///
/// A transformable attribute uses one to convert its values to the data that a store contains:
///
/// ```swift
/// struct Color {
///   var red, green, blue: UInt8
/// }
///
/// final class ColorTransformer: ValueTransformer {
///   override class func transformedValueClass() -> AnyClass { NSData.self }
///   override func transformedValue(_ value: Any?) -> Any? {
///     (value as? Color).map { Data([$0.red, $0.green, $0.blue]) }
///   }
///   override func reverseTransformedValue(_ value: Any?) -> Any? {
///     guard let bytes = value as? Data, bytes.count == 3 else { return nil }
///     return Color(red: bytes[0], green: bytes[1], blue: bytes[2])
///   }
/// }
/// ValueTransformer.setValueTransformer(ColorTransformer(), forName: .init("ColorTransformer"))
/// ```
///
/// A transformer is used from several threads concurrently.
///
/// Compared to Apple's Core Data: there the class belongs to Foundation. Foundation on other platforms has no such
/// class, so this library defines it, with its registry and ``NSSecureUnarchiveFromDataTransformer``.
nonisolated open class ValueTransformer: NSObject, ReplaceableByInitializer {
  /// Creates a transformer that returns values unchanged.
  ///
  /// Compared to Apple's Core Data: this initializer is `required`, because otherwise Swift cannot instantiate
  /// a class that is known only by its name.
  public required override init() { super.init() }

  /// Returns the class of the values that ``transformedValue(_:)`` returns.
  open class func transformedValueClass() -> AnyClass { NSObject.self }

  /// Returns whether values can be converted back. The default is `true`.
  ///
  /// An attribute's transformer must return `true`.
  open class func allowsReverseTransformation() -> Bool { true }

  /// Returns the converted value; nil if there is none.
  open func transformedValue(_ value: Any?) -> Any? { value }

  /// Returns the value converted back; nil if there is none.
  ///
  /// The default implementation calls ``transformedValue(_:)``.
  open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }
}
