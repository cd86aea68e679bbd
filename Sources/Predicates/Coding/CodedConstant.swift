/// Converts constants to and from the objects that archives hold.
enum CodedConstant {
  private static let maximumDepth = 16

  /// Returns the object for a value; nil for a value of a type that archives cannot hold, and for a collection of 16 or
  /// more levels.
  static func object(_ value: Any?, depth: Int = 0) -> NSObject? {
    guard depth < maximumDepth else { return nil }
    guard let value = flattenOptional(value) else { return NSNull() }
    switch value {
    // This case precedes the one for `NSNumber`, the superclass, because Foundation on Linux cannot
    // archive its own decimal numbers.
    case let number as NSDecimalNumber: return ArchivedDecimal(number.decimalValue)
    case is NSNull, is NSString, is NSNumber, is NSDate, is NSData, is NSUUID, is NSURL:
      return value as? NSObject
    default: break
    }
    switch Scalar(value) {
    case .null: return NSNull()
    case .integer(let number):
      // A scalar represents a boolean as an integer, but archives distinguish them.
      return value is Bool ? NSNumber(value: number != 0) : NSNumber(value: number)
    case .unsigned(let number): return NSNumber(value: number)
    case .double(let number): return NSNumber(value: number)
    case .decimal(let number): return ArchivedDecimal(number)
    case .text(let text): return NSString(string: text)
    case .date(let date):
      return NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
    case .data(let data): return NSData(data: data)
    case .uuid(let id): return NSUUID(uuidString: id.uuidString)
    case .url(let url): return NSURL(string: url.absoluteString)
    case .other(let object): return collection(object, depth: depth)
    }
  }

  private static func collection(_ value: Any, depth: Int) -> NSObject? {
    if let symbol = value as? IndexSymbol { return NSString(string: symbol.rawValue) }
    if let elements = KeyValueCollection(value)?.elements {
      let objects = elements.compactMap { object($0, depth: depth + 1) }
      // A list with one element that archives cannot hold is refused as a whole; without that
      // element, the predicate would match other objects.
      guard objects.count == elements.count else { return nil }
      if value is NSOrderedSet { return NSOrderedSet(array: objects) }
      return KeyValueCollection.isUnordered(value)
        ? NSSet(array: objects) : NSArray(array: objects)
    }
    guard let dictionary = KeyValueCollection.dictionary(value) else { return nil }
    var result: [String: Any] = [:]
    for (key, value) in dictionary {
      guard let key = key.base as? String, let object = object(value, depth: depth + 1) else {
        return nil
      }
      result[key] = object
    }
    return NSDictionary(dictionary: result)
  }

  /// Returns the value of an object that was read from an archive.
  static func value(_ object: Any?) -> Any? {
    switch object {
    case nil: nil
    case let decimal as ArchivedDecimal: NSDecimalNumber(decimal: decimal.value)
    case let text as NSString: "\(text)"
    case let date as NSDate:
      Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
    case let data as NSData: Data(referencing: data)
    case let id as NSUUID: UUID(uuidString: id.uuidString)
    case let url as NSURL: URL(string: url.absoluteString)
    case let array as NSArray: array.map { value($0) ?? NSNull() }
    case let set as NSSet:
      NSSet(array: set.allObjects.map { value($0) ?? NSNull() })
    case let set as NSOrderedSet:
      NSOrderedSet(array: set.array.map { value($0) ?? NSNull() })
    case let dictionary as NSDictionary:
      [String: Any](
        dictionary.compactMap { key, object in
          (key as? String).map { ($0, value(object) ?? NSNull()) }
        }, uniquingKeysWith: { first, _ in first })
    default: object
    }
  }
}
