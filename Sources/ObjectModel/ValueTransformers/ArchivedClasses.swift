/// Which classes archives from files may hold.
enum ArchivedClasses {
  /// The classes that are made from any archive.
  static var plain: [AnyClass] {
    [
      NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
      NSData.self, NSURL.self, NSUUID.self, NSNull.self,
    ]
  }

  /// The object in an archive; nil unless all of its objects are of the plain classes or of allowed
  /// ones.
  static func object(in data: Data, allowed: [AnyClass]) -> Any? {
    guard data.starts(with: Array("bplist00".utf8)) || data.starts(with: Array("<?xml".utf8)),
      let archive = try? KeyedArchive(data: data)
    else { return nil }
    let ownClasses = allowed.filter { type in !plain.contains { $0 == type } }
    let ownNames = archive.classNames.filter { !plainNames.contains($0) }
    if ownNames.isEmpty {
      return PlainObjectReader.value(in: archive).flatMap { isKind($0, of: allowed) ? $0 : nil }
    }
    // The unarchiver ends the program at a class that it does not expect.
    guard
      ownNames.allSatisfy({ name in ownClasses.contains { isSubclass(name, of: $0) } }),
      archive.classNames(at: archive.root).allSatisfy({ name in
        ownNames.contains(name) || allowed.contains { isSubclass(name, of: $0) }
      }), (try? CheckedPropertyList.read(data)) != nil
    else { return nil }
    // It calls itself for each object that is in another one; a few have room on any stack.
    let count = archive.objects.count
    return LargeStack.running(height: count < 256 ? 0 : min(count, NestedValues.maximumHeight)) {
      try? NSKeyedUnarchiver.unarchivedObject(ofClasses: allowed + plain, from: data)
    }
  }

  /// Whether what stands for a value in archives is of one of some classes.
  static func isKind(_ value: Any, of classes: [AnyClass]) -> Bool {
    if let type = NestedValues.archivedClass(of: value) {
      return classes.contains { type.isSubclass(of: $0) }
    }
    guard let object = object(of: value) else { return false }
    return classes.contains { object.isKind(of: $0) }
  }

  private static func isSubclass(_ name: String, of type: AnyClass) -> Bool {
    let found: AnyClass? = NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
    return (found as? NSObject.Type)?.isSubclass(of: type) == true
  }

  private static let plainNames: Set<String> = Set(
    ["Array", "Dictionary", "Set", "String", "Data"].flatMap { ["NS\($0)", "NSMutable\($0)"] }
      + [
        "NSNumber", "NSDecimalNumber", "NSDecimalNumberPlaceholder", "NSDate", "NSURL", "NSUUID",
        "NSNull",
      ])

  /// The archive of a value; nil for one that cannot be archived.
  static func data(of value: Any) -> Data? {
    do {
      return try PlainObjectWriter.archive(of: value).data()
    } catch PlainObjectWriter.Failure.otherClass {
      return NestedValues.run(on: value) {
        object(of: value).flatMap {
          try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
        }
      }
    } catch {
      return nil
    }
  }

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
