import Foundation
import Predicates

/// Makes the objects of an archive that holds nothing but Foundation's plain classes.
///
/// Foundation's unarchiver ends the program at an object of a wrong class; archives come from files
/// that may be damaged, so they are read here. What is not exactly such an archive gives nil.
struct PlainObjectReader {
  private let archive: KeyedArchive
  private var made: [Int: NSObject] = [:]
  private var open: Set<Int> = []

  /// Reading calls itself for each level.
  private let deepestNesting: Int
  private var isTooDeep = false

  /// Up to here reading has room on any stack.
  private static let safeNesting = 100

  /// The value in an archive: an object of Foundation's, or collections of Swift's where they are nested so deep that
  /// Foundation could not give their members.
  static func value(in archive: KeyedArchive) -> Any? {
    var reader = PlainObjectReader(archive: archive, deepestNesting: safeNesting)
    if let object = reader.object(at: archive.root, depth: 0) { return object }
    guard reader.isTooDeep else { return nil }
    // No archive is deeper than it has objects.
    // The innermost collection has members.
    let deepest = min(archive.objects.count, NestedValues.maximumHeight) + 1
    return LargeStack.running(height: deepest) {
      var reader = PlainObjectReader(archive: archive, deepestNesting: deepest)
      return reader.object(at: archive.root, depth: 0).map(NestedValues.native)
    }
  }

  private init(archive: KeyedArchive, deepestNesting: Int) {
    self.archive = archive
    self.deepestNesting = deepestNesting
  }

  private mutating func object(_ value: PropertyListValue?, depth: Int) -> NSObject? {
    guard let value else { return nil }
    if case .uid(let place) = value { return object(at: place, depth: depth) }
    return Self.object(ofPlain: value)
  }

  private mutating func object(at place: Int, depth: Int) -> NSObject? {
    // Entry 0 stands for nil. An object that holds itself cannot be made.
    guard place > 0, archive.objects.indices.contains(place) else { return nil }
    guard depth < deepestNesting else {
      isTooDeep = true
      return nil
    }
    if let known = made[place] { return known }
    guard open.insert(place).inserted else { return nil }
    defer { open.remove(place) }
    let object: NSObject?
    switch archive.objects[place] {
    case .value(let value): object = Self.object(ofPlain: value)
    case .instance(let names, let fields):
      object = instance(names.first ?? "", fields, at: place, depth: depth)
    case .type: object = nil
    }
    made[place] = object
    return object
  }

  private mutating func instance(
    _ name: String, _ fields: [String: PropertyListValue], at place: Int, depth: Int
  ) -> NSObject? {
    switch name {
    case "NSNull": return NSNull()
    case "NSArray", "NSMutableArray":
      return objects(fields["NS.objects"], depth).map { NSArray(array: $0) }
    case "NSSet", "NSMutableSet":
      return objects(fields["NS.objects"], depth).map { NSSet(array: $0) }
    case "NSDictionary", "NSMutableDictionary":
      guard let keys = objects(fields["NS.keys"], depth),
        let values = objects(fields["NS.objects"], depth), keys.count == values.count
      else { return nil }
      return NSDictionary(
        dictionary: Dictionary<AnyHashable, Any>(
          zip(keys, values).map { ($0, $1) }, uniquingKeysWith: { first, _ in first }))
    case "NSDate":
      // A time that is a whole number is archived as one.
      guard let seconds = object(fields["NS.time"], depth: depth + 1) as? NSNumber else {
        return nil
      }
      return NSDate(timeIntervalSinceReferenceDate: seconds.doubleValue)
    default:
      let value = archive.swiftValue(.uid(place))
      return value.flatMap(ArchivedClasses.object)
    }
  }

  private mutating func objects(_ list: PropertyListValue?, _ depth: Int) -> [NSObject]? {
    guard let elements = list?.array else { return nil }
    var result: [NSObject] = []
    for element in elements {
      guard let object = object(element, depth: depth + 1) else { return nil }
      result.append(object)
    }
    return result
  }

  private static func object(ofPlain value: PropertyListValue) -> NSObject? {
    switch value {
    case .bool(let truth): NSNumber(value: truth)
    case .integer(let number): NSNumber(value: number)
    case .real(let number): NSNumber(value: number)
    case .date(let date): date as NSDate
    case .data(let data): data as NSData
    case .string(let text): text as NSString
    case .uid, .array, .dictionary: nil
    }
  }
}
