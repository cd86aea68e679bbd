/// Makes the objects of an archive that holds nothing but Foundation's plain classes.
///
/// Foundation's unarchiver ends the program at an object of a wrong class; archives come from files
/// that may be damaged, so they are read here. What is not exactly such an archive gives nil.
struct PlainObjectReader {
  private let archive: KeyedArchive
  private var made: [Int: NSObject] = [:]
  private var open: Set<Int> = []
  private var weights: [Int: Weight] = [:]
  /// The weight of the members that were read of the object that is being made.
  private var members = Weight(count: 0, sets: 0)

  /// Reading calls itself for each level.
  private let deepestNesting: Int
  private var isTooDeep = false

  /// Up to here reading has room on any stack.
  private static let safeNesting = 100

  /// Sets of sets may not be deeper than this: Swift takes several times as long to hash a set for each set that it is in.
  static let mostSets = 8
  /// How many objects any value may be of when each is counted as often as it is in it.
  private static let mostObjects = 100_000

  /// What an object is for whoever goes through all that is in it. A few hundred bytes of an archive can name lists that
  /// hold one another, each several times, and Foundation copies them when it gives out their members.
  private struct Weight {
    /// How many objects it is of, an object counted as often as it is there.
    var count: Int
    /// How many sets are in one another.
    var sets: Int

    mutating func add(_ other: Weight) {
      let (sum, isOver) = count.addingReportingOverflow(other.count)
      count = isOver ? .max : sum
      sets = max(sets, other.sets)
    }
  }

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
    if let known = made[place] {
      noteMember(place)
      return known
    }
    guard open.insert(place).inserted else { return nil }
    let outer = members
    members = Weight(count: 1, sets: 0)
    let object: NSObject?
    switch archive.objects[place] {
    case .value(let value): object = Self.object(ofPlain: value)
    case .instance(let names, let fields):
      object = instance(names.first ?? "", fields, at: place, depth: depth)
    case .type: object = nil
    }
    return finish(object, at: place, outer)
  }

  // What follows is apart because each level of reading needs stack.

  @inline(never)
  private mutating func noteMember(_ place: Int) {
    members.add(weights[place] ?? Weight(count: 1, sets: 0))
  }

  /// Ends making an object, whose members were read.
  ///
  /// - Parameter outer: the weight so far of the object that it is in.
  /// - Returns: nil for an object that is refused.
  @inline(never)
  private mutating func finish(_ object: NSObject?, at place: Int, _ outer: Weight) -> NSObject? {
    open.remove(place)
    if object is NSSet { members.sets += 1 }
    let isReadable = members.sets <= Self.mostSets && isPlausible(members.count)
    if isReadable {
      weights[place] = members
      made[place] = object
    }
    members = outer
    noteMember(place)
    return isReadable ? object : nil
  }

  /// Whether this archive can be meant to have a value of so many objects. Far more than it names are a few named often.
  private func isPlausible(_ count: Int) -> Bool {
    if count <= Self.mostObjects { return true }
    let named = archive.objects.reduce(0) { sum, object in
      guard case .instance(_, let fields) = object else { return sum + 1 }
      return sum + 1 + fields.values.reduce(0) { $0 + ($1.array?.count ?? 0) }
    }
    return count / 8 <= named
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
    case .unsigned(let number): NSNumber(value: number)
    case .real(let number): NSNumber(value: number)
    case .date(let date): date as NSDate
    case .data(let data): data as NSData
    case .string(let text): text as NSString
    case .uid, .array, .dictionary: nil
    }
  }
}
