/// Finds the name of a Swift key path to managed properties: `\Person.team?.name` is `"team.name"`.
///
/// Such a key path carries no name. So the probe applies it to an object without a context, whose
/// accessors record the keys that they read and return sample values. If two different samples come
/// out unchanged, the key path leads to the property and does nothing else. A key path to a
/// computed property (`age >= 18`) returns something else, so it gets no name rather than a wrong one.
///
/// Before a model is in use, the probe reads typed accessors (`ManagedKey`) in the same way. Their sample
/// values then depend on the accessor's type or on the type that the key path leads to.
///
/// A probe is used within one call, on one thread.
final class KeyPathProbe: KeyPathResolving, @unchecked Sendable {
  /// The probe that is currently reading objects.
  @TaskLocal private static var current: KeyPathProbe?

  private struct Step {
    let object: NSManagedObject
    let key: String
    var value: Any?
    /// The sample destination of a to-one relationship, which is read next.
    let destination: NSManagedObject?
    /// Whether only the program knows the type of the values, so that there is no sample value.
    let isOfUnknownType: Bool
  }

  private let root: NSManagedObject
  /// Whether the probe returns the second of the two samples of each type.
  private let isSecondRound: Bool
  /// The type that the key path leads to.
  private let leaf: Any.Type
  private var steps: [Step] = []
  private var isStraight = true
  /// The key that was last read from an object without a model.
  private var lastKey: String?
  /// Whether a typed accessor has read a key that the model lacks. The key path has no name then, and all further
  /// accessors return samples of their own types, so that none of them stops the program.
  private var hasLeftModel = false

  private init(_ root: NSManagedObject, leaf: Any.Type, isSecondRound: Bool) {
    self.root = root
    self.leaf = leaf
    self.isSecondRound = isSecondRound
  }

  /// Makes `KeyPathNames` find the names of managed object classes' key paths.
  static func install() { KeyPathNames.resolve(by: { name(of: $0) }) }

  /// Returns the name of a key path; nil if it does not lead from property to property.
  static func name(of keyPath: AnyKeyPath) -> String? {
    guard let type = Swift.type(of: keyPath).rootType as? NSManagedObject.Type,
      type != NSManagedObject.self, !continuesBehindCollection(keyPath)
    else { return nil }
    let entities = ManagedObjectClasses.entitiesInUse(of: type)
    guard !entities.isEmpty else { return name(of: keyPath, of: { object(withoutModel: type) }) }
    // Another version of the model that is in use, too, may lack the property.
    for entity in entities {
      if let name = name(of: keyPath, in: entity) { return name }
    }
    return nil
  }

  /// Returns the name of a key path in one entity; nil if it has none there, or if another thread has released the
  /// entity's model.
  private static func name(of keyPath: AnyKeyPath, in entity: NSEntityDescription) -> String? {
    guard let model = entity.model, let layout = EntityLayout.of(entity), !layout.slots.isEmpty
    else { return nil }
    // A layout does not retain its model.
    return withExtendedLifetime(model) { name(of: keyPath, of: { object(layout) }) }
  }

  private static func name(of keyPath: AnyKeyPath, of root: () -> NSManagedObject) -> String? {
    func keys(isSecondRound: Bool) -> [String]? {
      KeyPathProbe(
        root(), leaf: Swift.type(of: keyPath).valueType, isSecondRound: isSecondRound
      ).keys(of: keyPath)
    }
    guard let first = keys(isSecondRound: false), keys(isSecondRound: true) == first else {
      return nil
    }
    return first.joined(separator: ".")
  }

  /// Returns whether a key path continues after an array or dictionary: `tags[0].isEmpty`. Reading it
  /// would access an element that the sample does not have.
  private static func continuesBehindCollection(_ keyPath: AnyKeyPath) -> Bool {
    // The text contains each step with its type: `\\Note.<computed 0x1234 (Array<String>)>.<computed …`.
    let text = keyPath.debugDescription
    return ["Array<", "Dictionary<"].contains { name in
      text.split(separator: ">.").dropLast().contains {
        $0.contains("(\(name)") || $0.contains("(Optional<\(name)")
      }
    }
  }

  /// Returns the keys that a key path reads, in order; nil if the key path does more than read
  /// keys.
  private func keys(of keyPath: AnyKeyPath) -> [String]? {
    let result = Self.$current.withValue(self) { (root as Any)[keyPath: keyPath] }
    return isStraight && isLastValue(result) ? steps.map(\.key) : nil
  }

  private static func object(_ layout: EntityLayout) -> NSManagedObject {
    let object = layout.managedObjectClass.init(entity: layout.entity, insertInto: nil)
    object.state.becameRecording()
    return object
  }

  private static func object(withoutModel type: NSManagedObject.Type) -> NSManagedObject {
    let object = type.init(entity: EntityLayout.nothing.entity, insertInto: nil)
    object.state.becameRecording()
    return object
  }

  // MARK: Sample values of a recording object

  /// Records which key of an object without a model is read.
  static func noteKey(_ key: String) { current?.lastKey = key }

  /// Returns a sample value for an accessor that passes its type; nil for types without sample values. Also nil if the
  /// object has a model, which specifies the type, as long as no accessor has read a key that the model lacks.
  static func value<Value>(_ type: Value.Type, of object: NSManagedObject) -> Any? {
    guard let current else { return nil }
    if current.hasLeftModel { return current.sampleValue(of: type) }
    guard object.layout === EntityLayout.nothing else { return nil }
    guard type == NSManagedObject.self else { return current.valueWithoutModel(for: object, type) }
    // For a private class, an accessor passes the superclass `NSManagedObject`. `leaf` is the private class if the
    // key path ends here. Otherwise there is no sample, because an `NSManagedObject` has no further keys.
    let leaf = (current.leaf as? any OptionalForm.Type)?.wrappedType ?? current.leaf
    return leaf is NSManagedObject.Type ? current.valueWithoutModel(for: object, leaf) : nil
  }

  /// Returns the sample value of a property, and records it as the next step of the key path.
  static func value(for object: NSManagedObject, _ slot: PropertySlot) -> Any? {
    current?.value(for: object, slot)
  }

  /// Returns a sample case of an enumeration, and records it instead of the raw value.
  static func enumerationCase<Value: RawRepresentable>(
    of type: Value.Type, for object: NSManagedObject, _ key: String
  ) -> Value? {
    guard let current,
      let index = current.steps.lastIndex(where: { $0.object === object && $0.key == key })
    else { return nil }
    // Swift cannot list the cases of an enumeration by its type alone, so small raw values are
    // tried.
    let cases = (0...255).lazy.compactMap { (number: Int) -> Value? in
      (NSNumber(value: number) as? Value.RawValue).flatMap(Value.init(rawValue:))
    }
    let value = Array(cases.prefix(current.isSecondRound ? 2 : 1)).last
    current.steps[index].value = value
    return value
  }

  /// Records that the key path read a key that is not in the model.
  static func noteUnknownKey() { current?.isStraight = false }

  /// Records that a typed accessor read a key that is not in the model. Returns false if no key path is being recorded.
  static func noteMissingKey() -> Bool {
    guard let current else { return false }
    current.isStraight = false
    current.hasLeftModel = true
    return true
  }

  private func valueWithoutModel(for object: NSManagedObject, _ type: Any.Type) -> Any? {
    guard let key = lastKey else { return nil }
    if let step = steps.first(where: { $0.object === object && $0.key == key }) {
      return step.value
    }
    guard object === (steps.isEmpty ? root : steps.last?.destination) else {
      isStraight = false
      return nil
    }
    let value = sampleValue(of: type)
    steps.append(
      Step(
        object: object, key: key, value: value, destination: value as? NSManagedObject,
        isOfUnknownType: value == nil))
    return value
  }

  private func value(for object: NSManagedObject, _ slot: PropertySlot) -> Any? {
    if hasLeftModel { return sampleValue(of: leaf) }
    if object.layout === EntityLayout.nothing { return valueWithoutModel(for: object, leaf) }
    // An accessor may read a value twice.
    if let step = steps.first(where: { $0.object === object && $0.key == slot.name }) {
      return step.value
    }
    guard object === (steps.isEmpty ? root : steps.last?.destination) else {
      isStraight = false
      return nil
    }
    let destination = slot.relationship.map { Self.object($0.destination) }
    let value: Any? =
      switch slot.kind {
      case .attribute(let storage):
        sampleValue(storage).flatMap { AttributeCodec.external($0, slot) }
      case .toOne: destination
      case .toMany:
        destination.map {
          slot.relationship?.isOrdered == true ? NSOrderedSet(object: $0) : NSSet(object: $0)
        }
      case .fetched, .composite: nil
      }
    steps.append(
      Step(
        object: object, key: slot.name, value: value,
        destination: slot.kind == .toOne ? destination : nil,
        isOfUnknownType: slot.storage == .transformable || slot.storage == .object
          || slot.kind == .composite))
    return value
  }

  /// Returns a sample that is unlikely to equal a default value or the result of a computed property.
  private func sampleValue(_ storage: AttributeStorage) -> StoredValue? {
    switch storage {
    case .integer16, .integer32, .integer64: .integer(isSecondRound ? 91 : 57)
    case .boolean: .integer(isSecondRound ? 1 : 0)
    case .double, .float: .double(isSecondRound ? 91.25 : 57.75)
    case .date: .double(isSecondRound ? 91_000_000.25 : 57_000_000.75)
    case .decimal: .decimal(NSDecimalNumber(value: isSecondRound ? 22.75 : 7.125))
    // A computed property that trims, folds or capitalizes the string returns a different one.
    case .string: .text(isSecondRound ? " Made up, sECOND é" : " Made up, fIRST é")
    case .data: .data(Data([isSecondRound ? 91 : 57, 3, 7]))
    case .uuid: .uuid(isSecondRound ? Self.secondUUID : Self.firstUUID)
    case .uri: URL(string: isSecondRound ? "made:up/2" : "made:up/1").map { .uri($0) }
    // Only the program knows the type, so only the program can make a value.
    case .transformable, .object: nil
    }
  }

  /// Returns a sample of a type, in the form that an accessor of this type expects.
  private func sampleValue(of type: Any.Type) -> Any? {
    switch type {
    case let optional as any OptionalForm.Type: return sampleValue(of: optional.wrappedType)
    case is NSDecimalNumber.Type: return NSDecimalNumber(value: isSecondRound ? 22.75 : 7.125)
    case is Bool.Type: return NSNumber(value: isSecondRound)
    case is Int.Type, is Int16.Type, is Int32.Type, is Int64.Type, is NSNumber.Type:
      return NSNumber(value: isSecondRound ? 91 : 57)
    case is Double.Type, is Float.Type: return NSNumber(value: isSecondRound ? 91.25 : 57.75)
    case is String.Type: return isSecondRound ? " Made up, sECOND é" : " Made up, fIRST é"
    case is Date.Type:
      return Date(timeIntervalSinceReferenceDate: isSecondRound ? 91_000_000.25 : 57_000_000.75)
    case is Data.Type: return Data([isSecondRound ? 91 : 57, 3, 7])
    case is UUID.Type: return isSecondRound ? Self.secondUUID : Self.firstUUID
    case is URL.Type: return URL(string: isSecondRound ? "made:up/2" : "made:up/1")
    case let objects as any SetForm.Type:
      return (objects.elementType as? NSManagedObject.Type).map {
        NSSet(object: Self.object(withoutModel: $0))
      }
    case is NSSet.Type:
      return NSMutableSet(object: Self.object(withoutModel: NSManagedObject.self))
    case is NSOrderedSet.Type:
      return NSMutableOrderedSet(object: Self.object(withoutModel: NSManagedObject.self))
    case let type as NSManagedObject.Type: return Self.object(withoutModel: type)
    default: return nil
    }
  }

  private static let firstUUID = UUID()
  private static let secondUUID = UUID()

  private func isLastValue(_ result: Any?) -> Bool {
    guard let step = steps.last else { return false }
    guard let value = step.value else { return step.isOfUnknownType }
    guard
      let made = step.destination ?? (value as? NSSet)?.anyObject() as? NSManagedObject
        ?? (value as? NSOrderedSet)?.firstObject as? NSManagedObject
    else {
      // The generated accessor of a private enumeration uses a copy of its type, so only the raw values are equal.
      if let value = value as? any RawRepresentable,
        let result = flattenOptional(result) as? any RawRepresentable
      {
        return ValueEquality.areEqual(value.rawValue, result.rawValue)
      }
      return ValueEquality.areEqual(value, result)
    }
    guard let result = flattenOptional(result) else { return false }
    if step.destination != nil { return result as AnyObject === made }
    guard let elements = KeyValueCollection(result)?.elements else { return false }
    return elements.count == 1 && elements[0] as AnyObject === made
  }
}

private protocol OptionalForm {
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalForm {
  fileprivate static var wrappedType: Any.Type { Wrapped.self }
}

private protocol SetForm {
  static var elementType: Any.Type { get }
}

extension Set: SetForm {
  fileprivate static var elementType: Any.Type { Element.self }
}
