/// The classes that archives in files may contain.
enum ArchivedClasses {
  /// The classes that are allowed in every archive.
  static var plain: [AnyClass] {
    [
      NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
      NSData.self, NSURL.self, NSUUID.self, NSNull.self,
    ]
  }

  /// Returns the object in an archive; nil if the archive cannot be read, if the object is not of an allowed class, or
  /// if an object in it is neither of a plain nor of an allowed class.
  static func object(in data: Data, allowed: [AnyClass]) -> Any? {
    guard data.starts(with: Array("bplist00".utf8)) || data.starts(with: Array("<?xml".utf8)),
      let archive = try? KeyedArchive(data: data)
    else { return nil }
    let ownClasses = allowed.filter { type in !plain.contains { $0 == type } }
    let ownNames = archive.classNames.filter { !plainNames.contains($0) }
    if ownNames.isEmpty {
      return PlainObjectReader.value(in: archive).flatMap { isKind($0, of: allowed) ? $0 : nil }
    }
    // The unarchiver stops the program at an unexpected class, and Foundation's reader of property lists
    // crashes on some content.
    guard
      ownNames.allSatisfy({ name in ownClasses.contains { isSubclass(name, of: $0) } }),
      archive.classNames(at: archive.root).allSatisfy({ name in
        ownNames.contains(name) || allowed.contains { isSubclass(name, of: $0) }
      }), (try? CheckedPropertyList.read(data)) != nil
    else { return nil }
    // The unarchiver recurses for nested objects. A few objects fit on any stack.
    let count = archive.objects.count
    return LargeStack.running(height: count < 256 ? 0 : min(count, NestedValues.maximumHeight)) {
      // The plain classes are added, because nested objects may have them whatever the class of the root is.
      try? NSKeyedUnarchiver.unarchivedObject(ofClasses: allowed + plain, from: data)
    }
  }

  /// Returns whether the class that archives record for a value is one of `classes` or a subclass of one.
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

  /// Returns the archive of a value; nil if it cannot be archived.
  static func data(of value: Any) -> Data? {
    do {
      return try PlainObjectWriter.archive(of: value).data()
    } catch PlainObjectWriter.Failure.otherClass {
      // Foundation's archiver recurses for nested collections.
      return NestedValues.run(on: value) {
        object(of: value).flatMap {
          try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
        }
      }
    } catch {
      return nil
    }
  }

  /// Returns the Foundation object that archives use for a value; nil if there is none.
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
  /// The class names of all objects, without superclasses.
  var classNames: [String] { objects.indices.flatMap(classNames(at:)) }

  /// Returns the class name of the object at an index; empty for a plain value.
  func classNames(at place: Int) -> [String] {
    guard case .instance(let names, _) = objects[place] else { return [] }
    return Array(names.prefix(1))
  }
}
