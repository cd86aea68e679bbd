/// Turns keyed archives into the objects in them, and back.
///
/// Only objects of ``allowedTopLevelClasses`` are made from an archive. A subclass allows other
/// classes, which have to be `NSSecureCoding`:
///
/// ```swift
/// final class LocaleTransformer: NSSecureUnarchiveFromDataTransformer {
///   override class var allowedTopLevelClasses: [AnyClass] { [NSLocale.self] }
/// }
/// ```
///
/// Unlike other transformers, this one's ``transformedValue(_:)`` goes from bytes to the object; a
/// transformable attribute that names it, or a subclass, knows that.
nonisolated open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
  /// The classes of which an archive's outermost object may be.
  ///
  /// Unless overridden: `NSArray`, `NSDictionary`, `NSSet`, `NSString`, `NSNumber`, `NSDate`,
  /// `NSData`, `NSURL`, `NSUUID` and `NSNull`.
  ///
  /// Compared to Apple's Core Data: objects within have to be of one of these ten classes or of an
  /// allowed one; a class that only objects within have is listed here too.
  open class var allowedTopLevelClasses: [AnyClass] { ArchivedClasses.plain }

  open override class func transformedValueClass() -> AnyClass { NSObject.self }
  open override class func allowsReverseTransformation() -> Bool { true }

  /// The object in an archive; nil for what is no archive of the allowed classes.
  open override func transformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap {
      ArchivedClasses.object(in: $0, allowed: Self.allowedTopLevelClasses)
    }
  }

  /// An archive of an object; nil for an object of another class than the allowed ones.
  open override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let value, ArchivedClasses.isKind(value, of: Self.allowedTopLevelClasses) else {
      return nil
    }
    return ArchivedClasses.data(of: value)
  }
}
