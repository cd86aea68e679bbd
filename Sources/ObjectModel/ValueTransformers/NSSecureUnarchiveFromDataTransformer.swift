/// Converts keyed archives to the objects in them, and back.
///
/// The root object of an archive must be of one of the ``allowedTopLevelClasses``. Override this property to allow
/// other classes, which must conform to `NSSecureCoding`:
///
/// ```swift
/// final class LocaleTransformer: NSSecureUnarchiveFromDataTransformer {
///   override class var allowedTopLevelClasses: [AnyClass] { [NSLocale.self] }
/// }
/// ```
///
/// In contrast to other transformers, ``transformedValue(_:)`` of this one converts data to the object. Transformable
/// attributes with this transformer, or a subclass, take that into account.
nonisolated open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
  /// The allowed classes of an archive's root object.
  ///
  /// The default is `NSArray`, `NSDictionary`, `NSSet`, `NSString`, `NSNumber`, `NSDate`,
  /// `NSData`, `NSURL`, `NSUUID` and `NSNull`.
  ///
  /// Compared to Apple's Core Data: nested objects must also be of one of these ten classes or of an
  /// allowed one, so list the classes of nested objects here as well.
  open class var allowedTopLevelClasses: [AnyClass] { ArchivedClasses.plain }

  open override class func transformedValueClass() -> AnyClass { NSObject.self }
  open override class func allowsReverseTransformation() -> Bool { true }

  /// Returns the object in an archive; nil if the value is not an archive of allowed classes.
  open override func transformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap {
      ArchivedClasses.object(in: $0, allowed: Self.allowedTopLevelClasses)
    }
  }

  /// Returns an archive of an object; nil if its class is not allowed or the object cannot be archived.
  open override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let value, ArchivedClasses.isKind(value, of: Self.allowedTopLevelClasses) else {
      return nil
    }
    return ArchivedClasses.data(of: value)
  }
}
