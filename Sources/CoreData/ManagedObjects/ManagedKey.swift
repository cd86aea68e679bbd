import Synchronization

/// A property by its name, for typed accessors of managed object classes.
///
/// ```swift
/// final class Person: NSManagedObject {
///   private static let ageKey = ManagedKey("age")
///   var age: Int64 {
///     get { managedValue(Self.ageKey) }
///     set { setManagedValue(newValue, Self.ageKey) }
///   }
/// }
/// ```
///
/// Make one a property and keep it: it remembers where the objects of the entity that it was used for
/// last have the property, so that reading costs no look-up of a name. It may be used from any thread,
/// and for objects of different entities and models.
///
/// Compared to Apple's Core Data: new.
public final class ManagedKey: Sendable {
  /// The property's name in the model.
  public let name: String
  /// The number of the layout that was looked at last, and the slot there.
  private let known = Atomic<UInt64>(0)

  /// What the class's property is called.
  private let propertyName: String

  /// Makes the key of a property.
  public init(_ name: String) {
    self.name = name
    propertyName = name
  }

  /// Makes the key of a property of the class that gives the primitive value of one of the model.
  ///
  /// - Parameter propertyName: the name of the class's property: `primitiveAge` for `age`.
  public init(_ name: String, propertyName: String) {
    self.name = name
    self.propertyName = propertyName
  }

  /// Where the property lies.
  ///
  /// An entity without such a property stops the program, as `value(forKey:)` does.
  @inline(__always)
  final func slot(in layout: EntityLayout) -> Int {
    let known = known.load(ordering: .relaxed)
    if known >> 32 == UInt64(layout.number) { return Int(known & 0xffff_ffff) }
    return lookUp(in: layout)
  }

  @inline(never)
  private func lookUp(in layout: EntityLayout) -> Int {
    if layout === EntityLayout.nothing {
      KeyPathProbe.noteKey(propertyName)
      return 0
    }
    guard let slot = layout.slotNumbers[name] else {
      stopProgram(
        "the entity \(layout.name) is not key value coding-compliant for the key \"\(name)\".")
    }
    known.store(UInt64(layout.number) << 32 | UInt64(slot), ordering: .relaxed)
    return slot
  }
}
