import Foundation

/// Turns keyed archives into the objects in them, and back.
///
/// Only objects of ``allowedTopLevelClasses`` are made from an archive. A subclass allows other
/// classes, which have to be `NSSecureCoding`:
///
/// ```swift
/// final class ColorTransformer: NSSecureUnarchiveFromDataTransformer {
///   override class var allowedTopLevelClasses: [AnyClass] { [Color.self] }
/// }
/// ```
///
/// Unlike other transformers, this one's ``transformedValue(_:)`` goes from bytes to the object; a
/// transformable attribute that names it, or a subclass, knows that.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
  /// The classes of which an archive's outermost object may be.
  ///
  /// Unless overridden: `NSArray`, `NSDictionary`, `NSSet`, `NSString`, `NSNumber`, `NSDate`,
  /// `NSData`, `NSURL`, `NSUUID` and `NSNull`, of which everything within has to be as well.
  open class var allowedTopLevelClasses: [AnyClass] { ArchivedClasses.plain }

  open override class func transformedValueClass() -> AnyClass { NSObject.self }
  open override class func allowsReverseTransformation() -> Bool { true }

  /// The object in an archive; nil for what is no archive of the allowed classes.
  open override func transformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data else { return nil }
    let allowed = Self.allowedTopLevelClasses
    guard ArchivedClasses.mayBeRead(data, allowed: allowed) else { return nil }
    return try? NSKeyedUnarchiver.unarchivedObject(
      ofClasses: allowed + ArchivedClasses.plain, from: data)
  }

  /// An archive of an object; nil for an object of another class than the allowed ones.
  open override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let object = value.flatMap(ArchivedClasses.object),
      Self.allowedTopLevelClasses.contains(where: { type in object.isKind(of: type) })
    else { return nil }
    return try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }
}
