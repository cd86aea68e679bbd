/// Builds a keyed archive object by object.
///
/// For objects that refer to each other in a cycle, reserve their entries first and fill them afterwards.
final class KeyedArchiveBuilder {
  private(set) var archive = KeyedArchive(objects: [.value(.string("$null"))], root: 0)
  private var plainPlaces: [PlainValueKey: Int] = [:]

  /// The shared expression for the evaluated object.
  private(set) lazy var selfExpression = add(
    .selfExpression, ["NSExpressionType": .integer(1)])
  /// The shared empty, immutable dictionary.
  private(set) lazy var emptyDictionary = dictionary([])

  /// A reference to nil.
  static let null = PropertyListValue.uid(0)

  /// Reserves an entry for an object that is filled later, and returns its index.
  func reserve() -> Int {
    // To a reader, an entry that is never filled is nil.
    archive.objects.append(.value(.string("$null")))
    return archive.objects.count - 1
  }

  /// Fills a reserved entry.
  func fill(_ place: Int, _ type: ArchivedClass, _ fields: [String: PropertyListValue]) {
    archive.objects[place] = .instance(classNames: type.names, fields: fields)
  }

  /// Adds an object.
  func add(_ type: ArchivedClass, _ fields: [String: PropertyListValue]) -> PropertyListValue {
    let place = reserve()
    fill(place, type, fields)
    return .uid(place)
  }

  /// Adds a plain value as an object. Equal values share one object.
  func add(plain value: PropertyListValue) -> PropertyListValue {
    let key = PlainValueKey(value)
    if let place = plainPlaces[key] { return .uid(place) }
    archive.objects.append(.value(value))
    plainPlaces[key] = archive.objects.count - 1
    return .uid(archive.objects.count - 1)
  }

  /// Adds a boolean, an integer, a floating-point or a decimal number.
  func add(number: NSNumber) -> PropertyListValue {
    // This check comes first, because a boolean is also an integer, but archives distinguish them.
    if number.isTruthValue { return add(plain: .bool(number.boolValue)) }
    return switch number.scalar {
    case .integer(let whole): add(plain: .integer(whole))
    case .unsigned(let whole): add(plain: .unsigned(whole))
    case .double(let real): add(plain: .real(real))
    default: add(number.decimalValue)
    }
  }

  /// Adds a string, or nil.
  func add(_ text: String?) -> PropertyListValue {
    text.map { add(plain: .string($0)) } ?? Self.null
  }

  /// Adds an array object.
  func array(_ elements: [PropertyListValue], _ type: ArchivedClass = .array) -> PropertyListValue {
    add(type, ["NS.objects": .array(elements)])
  }

  /// Adds a dictionary object.
  func dictionary(
    _ entries: [(key: String, value: PropertyListValue)], _ type: ArchivedClass = .dictionary
  ) -> PropertyListValue {
    add(
      type,
      [
        "NS.keys": .array(entries.map { add($0.key) }),
        "NS.objects": .array(entries.map(\.value)),
      ])
  }

  /// Adds an object of another archive and everything it refers to.
  func add(_ part: KeyedArchive) -> PropertyListValue {
    var places: [Int: Int] = [:]
    return .uid(archive.adopt(part.root, of: part, places: &places))
  }

  /// Returns the archive with an object as its root.
  func finish(root: PropertyListValue) -> KeyedArchive {
    if case .uid(let place) = root { archive.root = place }
    return archive
  }
}
