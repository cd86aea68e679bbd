import Foundation
import ObjectModel
import Predicates

/// Finds the name of a Swift key path to properties of managed objects: `\Person.team?.name` is
/// `"team.name"`.
///
/// Such a key path carries no name. So it is applied to an object that belongs to nobody and whose
/// accessors note which key they are asked for and answer a made-up value; when that very value
/// comes out, for two different ones, the key path names the property and nothing else. A property
/// that is computed from another (`age >= 18`) gives something else and has no name rather than a
/// wrong one.
///
/// A probe lives within one call, on one thread.
final class KeyPathProbe: @unchecked Sendable {
  /// The probe whose objects are being asked.
  @TaskLocal private static var current: KeyPathProbe?

  private struct Step {
    let object: NSManagedObject
    let key: String
    var answer: Any?
    /// The made-up destination of a to-one relationship, which is asked next.
    let destination: NSManagedObject?
    /// Whether only the program knows the type of the values.
    let isOfUnknownType: Bool
  }

  private let root: NSManagedObject
  /// Which of the two made-up values of each type is answered.
  private let isSecondRound: Bool
  private var steps: [Step] = []
  private var isStraight = true

  private init(_ layout: EntityLayout, isSecondRound: Bool) {
    root = Self.object(layout)
    self.isSecondRound = isSecondRound
  }

  /// Makes key paths of managed objects' classes known wherever names are asked for.
  static func install() { KeyPathNames.resolve(by: { name(of: $0) }) }

  /// The name of a key path; nil for one that is no path from property to property.
  static func name(of keyPath: AnyKeyPath) -> String? {
    guard let type = Swift.type(of: keyPath).rootType as? NSManagedObject.Type,
      type != NSManagedObject.self, let entity = ManagedObjectClasses.anyEntity(of: type),
      let layout = EntityLayout.of(entity)
    else { return nil }
    let first = KeyPathProbe(layout, isSecondRound: false).keys(of: keyPath)
    guard let first, KeyPathProbe(layout, isSecondRound: true).keys(of: keyPath) == first else {
      return nil
    }
    return first.joined(separator: ".")
  }

  /// The keys that a key path asks for, one after the other; nil when it does more than that.
  private func keys(of keyPath: AnyKeyPath) -> [String]? {
    let result = Self.$current.withValue(self) { (root as Any)[keyPath: keyPath] }
    return isStraight && isLastAnswer(result) ? steps.map(\.key) : nil
  }

  private static func object(_ layout: EntityLayout) -> NSManagedObject {
    let object = layout.managedObjectClass.init(entity: layout.entity, insertInto: nil)
    object.flags.insert(.recording)
    return object
  }

  // MARK: What the accessors of a recording object give

  /// The made-up value of a property, noted as the next step of the key path.
  static func answer(for object: NSManagedObject, _ slot: PropertySlot) -> Any? {
    current?.answer(for: object, slot)
  }

  /// A made-up case of an enumeration, in the stead of the raw value that was answered last.
  static func answer<Value: RawRepresentable>(
    of type: Value.Type, for object: NSManagedObject, _ key: String
  ) -> Value? {
    guard let current,
      let index = current.steps.lastIndex(where: { $0.object === object && $0.key == key })
    else { return nil }
    let cases = (0...255).lazy.compactMap { (number: Int) -> Value? in
      (NSNumber(value: number) as? Value.RawValue).flatMap(Value.init(rawValue:))
    }
    let answer = Array(cases.prefix(current.isSecondRound ? 2 : 1)).last
    current.steps[index].answer = answer
    return answer
  }

  /// Notes that a key was asked for that the model does not have.
  static func noteUnknownKey() { current?.isStraight = false }

  private func answer(for object: NSManagedObject, _ slot: PropertySlot) -> Any? {
    // An accessor may look twice.
    if let step = steps.first(where: { $0.object === object && $0.key == slot.name }) {
      return step.answer
    }
    guard object === (steps.isEmpty ? root : steps.last?.destination) else {
      isStraight = false
      return nil
    }
    let destination = slot.relationship.map { Self.object($0.destination) }
    let answer: Any? =
      switch slot.kind {
      case .attribute(let storage):
        madeUpValue(storage).flatMap { AttributeCodec.external($0, slot) }
      case .toOne: destination
      case .toMany:
        destination.map {
          slot.relationship?.isOrdered == true ? NSOrderedSet(object: $0) : NSSet(object: $0)
        }
      case .fetched, .composite: nil
      }
    steps.append(
      Step(
        object: object, key: slot.name, answer: answer,
        destination: slot.kind == .toOne ? destination : nil,
        isOfUnknownType: slot.storage == .transformable || slot.storage == .object
          || slot.kind == .composite))
    return answer
  }

  /// Values that no accessor takes for a default or another one's.
  private func madeUpValue(_ storage: AttributeStorage) -> StoredValue? {
    switch storage {
    case .integer16, .integer32, .integer64: .integer(isSecondRound ? 91 : 57)
    case .boolean: .integer(isSecondRound ? 1 : 0)
    case .double, .float: .double(isSecondRound ? 91.25 : 57.75)
    case .date: .double(isSecondRound ? 91_000_000.25 : 57_000_000.75)
    case .decimal: .decimal(NSDecimalNumber(value: isSecondRound ? 22.75 : 7.125))
    case .string: .text(isSecondRound ? " Made up, sECOND é" : " Made up, fIRST é")
    case .data: .data(Data([isSecondRound ? 91 : 57, 3, 7]))
    case .uuid: .uuid(isSecondRound ? Self.secondUUID : Self.firstUUID)
    case .uri: URL(string: isSecondRound ? "made:up/2" : "made:up/1").map { .uri($0) }
    // Nobody can make up a value of a type that only the program knows.
    case .transformable, .object: nil
    }
  }

  private static let firstUUID = UUID()
  private static let secondUUID = UUID()

  private func isLastAnswer(_ result: Any?) -> Bool {
    guard let step = steps.last else { return false }
    guard let answer = step.answer else { return step.isOfUnknownType }
    guard
      let made = step.destination ?? (answer as? NSSet)?.anyObject() as? NSManagedObject
        ?? (answer as? NSOrderedSet)?.firstObject as? NSManagedObject
    else { return ValueEquality.areEqual(answer, result) }
    guard let result = flattenOptional(result) else { return false }
    if step.destination != nil { return result as AnyObject === made }
    guard let elements = KeyValueCollection(result)?.elements else { return false }
    return elements.count == 1 && elements[0] as AnyObject === made
  }
}

extension NSManagedObject.Flags {
  /// The object belongs to a ``KeyPathProbe``, which answers for it.
  static let recording = NSManagedObject.Flags(rawValue: 64)
}
