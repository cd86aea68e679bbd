/// Turns values of one kind into another, and back.
///
/// A transformable attribute names one, which turns its values into the bytes that a store keeps:
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
/// A transformer is used from several threads at once.
///
/// Compared to Apple's Core Data: there the class is Foundation's. Foundation on other platforms has none, so this
/// library defines it, with its registry and ``NSSecureUnarchiveFromDataTransformer``.
nonisolated open class ValueTransformer: NSObject, ReplaceableByInitializer {
  /// A transformer that gives values back as they are.
  ///
  /// Compared to Apple's Core Data: it is required of subclasses, because Swift makes objects of a
  /// class that is known by name only through such an initialiser.
  public required override init() { super.init() }

  /// The class of the values that ``transformedValue(_:)`` gives.
  open class func transformedValueClass() -> AnyClass { NSObject.self }

  /// Whether values can be turned back. True unless overridden.
  ///
  /// The transformer of an attribute has to say true.
  open class func allowsReverseTransformation() -> Bool { true }

  /// The value turned into the other kind; nil where there is none.
  open func transformedValue(_ value: Any?) -> Any? { value }

  /// A value of the other kind turned back; nil where there is none.
  ///
  /// Does what ``transformedValue(_:)`` does unless overridden.
  open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }
}
