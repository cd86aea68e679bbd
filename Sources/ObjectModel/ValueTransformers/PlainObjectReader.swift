/// Creates the objects of an archive that contains only Foundation's plain classes.
///
/// Foundation's unarchiver stops the program at an object of an unexpected class. Archives come from files
/// that may be damaged, so this reader is used instead. It returns nil for any other archive, and for one with too
/// deeply nested sets, with an object that contains itself, or with too many repeated objects.
struct PlainObjectReader {
  private let archive: KeyedArchive
  private var made: [Int: NSObject] = [:]
  private var open: Set<Int> = []
  private var weights: [Int: Weight] = [:]
  /// The weight of the current object with the members that were read so far.
  private var members = Weight(count: 0, sets: 0)

  /// The maximum nesting depth. Reading recurses for each level.
  private let deepestNesting: Int
  private var isTooDeep = false

  /// The nesting depth that fits on any stack.
  private static let safeNesting = 100

  /// The maximum nesting of sets. Each enclosing set multiplies the time that Swift takes to hash the inner sets.
  static let mostSets = 8
  /// The number of objects that a value may contain regardless of the archive's size. An object that occurs several
  /// times is counted each time.
  private static let mostObjects = 100_000

  /// The cost of walking an object with all its content. An archive of a few hundred bytes may contain lists each of
  /// which contains the next several times, and Foundation copies them when it returns their members.
  private struct Weight {
    /// The number of objects: the object itself and its content. An object that occurs several times is counted each
    /// time.
    var count: Int
    /// The nesting depth of sets.
    var sets: Int

    mutating func add(_ other: Weight) {
      let (sum, isOver) = count.addingReportingOverflow(other.count)
      count = isOver ? .max : sum
      sets = max(sets, other.sets)
    }
  }

  /// Returns the value in an archive: a Foundation object, or Swift collections if they are nested too deeply for
  /// Foundation to return their members. Returns nil if the value cannot be created.
  static func value(in archive: KeyedArchive) -> Any? {
    var reader = PlainObjectReader(archive: archive, deepestNesting: safeNesting)
    if let object = reader.object(at: archive.root, depth: 0) { return object }
    // Only the second attempt uses a large stack, because a large stack requires a separate thread.
    guard reader.isTooDeep else { return nil }
    // The nesting depth of an archive cannot exceed its number of objects, plus one for the members of the
    // innermost collection.
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
    // Entry 0 represents nil.
    guard place > 0, archive.objects.indices.contains(place) else { return nil }
    guard depth < deepestNesting else {
      isTooDeep = true
      return nil
    }
    if let known = made[place] {
      countMember(place)
      return known
    }
    // An object that contains itself cannot be created.
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

  // These functions are not inlined, because that would enlarge the stack frame of each level.

  @inline(never)
  private mutating func countMember(_ place: Int) {
    members.add(weights[place] ?? Weight(count: 1, sets: 0))
  }

  /// Finishes an object after its members were read.
  ///
  /// - Parameter outer: The weight so far of the enclosing object.
  /// - Returns: Nil for a rejected object.
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
    countMember(place)
    return isReadable ? object : nil
  }

  /// Returns whether a number of objects is in proportion to the archive's size. The number is out of proportion if a
  /// few objects are repeated often.
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
      // A time without a fraction is archived as an integer.
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
