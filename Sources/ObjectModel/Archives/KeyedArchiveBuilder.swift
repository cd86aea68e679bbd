/// Puts a keyed archive together, object by object.
///
/// Objects that refer to each other in a circle are reserved first and filled afterwards.
final class KeyedArchiveBuilder {
  private(set) var archive = KeyedArchive(objects: [.value(.string("$null"))], root: 0)
  private var plainPlaces: [PlainValueKey: Int] = [:]

  /// The one expression that stands for the object under evaluation everywhere.
  private(set) lazy var selfExpression = add(
    .selfExpression, ["NSExpressionType": .integer(1)])
  /// The one dictionary that stands for all that are empty and cannot change.
  private(set) lazy var emptyDictionary = dictionary([])

  /// A reference to nil.
  static let null = PropertyListValue.uid(0)

  /// A place for an object that is filled later.
  func reserve() -> Int {
    archive.objects.append(.value(.string("$null")))
    return archive.objects.count - 1
  }

  /// Fills a reserved place.
  func fill(_ place: Int, _ type: ArchivedClass, _ fields: [String: PropertyListValue]) {
    archive.objects[place] = .instance(classNames: type.names, fields: fields)
  }

  /// Adds an object.
  func add(_ type: ArchivedClass, _ fields: [String: PropertyListValue]) -> PropertyListValue {
    let place = reserve()
    fill(place, type, fields)
    return .uid(place)
  }

  /// Adds a plain value as an object; equal values become one object.
  func add(plain value: PropertyListValue) -> PropertyListValue {
    let key = PlainValueKey(value)
    if let place = plainPlaces[key] { return .uid(place) }
    archive.objects.append(.value(value))
    plainPlaces[key] = archive.objects.count - 1
    return .uid(archive.objects.count - 1)
  }

  /// Adds a number that is no decimal: a truth value, a whole number, or a floating-point number.
  func add(number: NSNumber) -> PropertyListValue {
    if number.isTruthValue { return add(plain: .bool(number.boolValue)) }
    return switch number.scalar {
    case .integer(let whole): add(plain: .integer(whole))
    case .unsigned(let whole): add(plain: .unsigned(whole))
    case .double(let real): add(plain: .real(real))
    default: add(number.decimalValue)
    }
  }

  /// Adds a text, or nil.
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

  /// Adds an object of another archive with everything that it refers to.
  func add(_ part: KeyedArchive) -> PropertyListValue {
    var places: [Int: Int] = [:]
    return .uid(archive.adopt(part.root, of: part, places: &places))
  }

  /// The archive of an object.
  func finish(root: PropertyListValue) -> KeyedArchive {
    if case .uid(let place) = root { archive.root = place }
    return archive
  }
}
