import Foundation

/// The bytes of transformable values: a keyed archive of property list classes, as Apple's default
/// transformer writes it.
enum TransformableCoding {
  /// What an archive from a file may contain; nothing else is ever made from one.
  private static let allowed: [AnyClass] = [
    NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self, NSString.self, NSNumber.self,
    NSDate.self, NSData.self, NSURL.self, NSUUID.self, NSNull.self,
  ]

  /// The value of some bytes; the bytes themselves when they are no archive of allowed classes.
  static func value(of data: Data) -> Any {
    guard data.starts(with: Array("bplist00".utf8)), holdsOnlyAllowedClasses(data),
      let object = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: allowed, from: data)
    else { return data }
    return object
  }

  /// Whether an archive names no other class. The unarchiver would refuse it too, but not without
  /// a line on standard error.
  private static func holdsOnlyAllowedClasses(_ data: Data) -> Bool {
    guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
      let objects = (list as? [String: Any])?["$objects"] as? [Any]
    else { return false }
    let names = objects.compactMap { ($0 as? [String: Any])?["$classname"] as? String }
    return names.allSatisfy(allowedNames.contains)
  }

  private static let allowedNames: Set<String> = Set(
    ["Array", "Dictionary", "Set", "OrderedSet", "String", "Data"]
      .flatMap { ["NS\($0)", "NSMutable\($0)"] }
      + ["NSNumber", "NSDate", "NSURL", "NSUUID", "NSNull"])

  /// The bytes of a value; nil when it cannot be archived.
  static func data(of value: Any) -> Data? {
    if let data = value as? Data { return data }
    guard let object = archivable(value) else { return nil }
    return try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  /// Whether a value can be stored.
  static func canStore(_ value: Any) -> Bool { value is Data || archivable(value) != nil }

  /// The Foundation class of a Swift value.
  private static func archivable(_ value: Any) -> Any? {
    switch value {
    case let value as NSArray: value
    case let value as NSDictionary: value
    case let value as NSSet: value
    case let value as NSString: value
    case let value as NSNumber: value
    case let value as NSDate: value
    case let value as NSURL: value
    case let value as NSUUID: value
    case let value as any NSSecureCoding: value
    default: nil
    }
  }
}
