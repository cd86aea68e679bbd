import Foundation

/// Which classes archives from files may hold.
enum ArchivedClasses {
  /// The classes that are made from any archive.
  static var plain: [AnyClass] {
    [
      NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
      NSData.self, NSURL.self, NSUUID.self, NSNull.self,
    ]
  }

  /// Whether an archive names no class but allowed ones: all of its objects' where only the plain
  /// ones are allowed, the outermost object's where the program allows its own, which know what
  /// they read.
  ///
  /// The unarchiver would refuse others too, but not without a line on standard error.
  static func mayBeRead(_ data: Data, allowed: [AnyClass]) -> Bool {
    guard data.starts(with: Array("bplist00".utf8)) || data.starts(with: Array("<?xml".utf8)),
      let archive = try? KeyedArchive(data: data)
    else { return false }
    let ownClasses = allowed.filter { type in !plain.contains { $0 == type } }
    let names =
      ownClasses.isEmpty
      ? archive.classNames : archive.classNames(at: archive.root)
    return names.allSatisfy { name in
      plainNames.contains(name) || ownClasses.contains { isSubclass(name, of: $0) }
    }
  }

  private static func isSubclass(_ name: String, of type: AnyClass) -> Bool {
    let found: AnyClass? = NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
    return (found as? NSObject.Type)?.isSubclass(of: type) == true
  }

  private static let plainNames: Set<String> = Set(
    ["Array", "Dictionary", "Set", "String", "Data"].flatMap { ["NS\($0)", "NSMutable\($0)"] }
      + ["NSNumber", "NSDecimalNumber", "NSDate", "NSURL", "NSUUID", "NSNull"])

  /// A value as the Foundation object that stands for it in archives; nil for what has none.
  static func object(of value: Any) -> NSObject? {
    switch value {
    case let value as NSArray: value
    case let value as NSDictionary: value
    case let value as NSSet: value
    case let value as NSString: value
    case let value as NSNumber: value
    case let value as NSDate: value
    case let value as NSData: value
    case let value as NSURL: value
    case let value as NSUUID: value
    case let value as NSObject where value is any NSSecureCoding: value
    default: nil
    }
  }
}

extension KeyedArchive {
  /// The names of all objects' classes, without those above them.
  var classNames: [String] { objects.indices.flatMap(classNames(at:)) }

  /// The name of the class of the object at a place; empty for a plain value.
  func classNames(at place: Int) -> [String] {
    guard case .instance(let names, _) = objects[place] else { return [] }
    return Array(names.prefix(1))
  }
}
