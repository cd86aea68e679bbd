import Synchronization

/// The name of a property, for typed accessors of managed object classes.
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
/// Store the key in a static property: it caches the position of the property for the entity it was
/// last used with, so that reading needs no lookup by name. It may be used on any thread, and for
/// objects of different entities and models.
///
/// Compared to Apple's Core Data: new.
public final class ManagedKey: Sendable {
  /// The property's name in the model.
  public let name: String
  /// The number of the layout that the key was last used with (upper half), and the property's slot in that layout
  /// (lower half).
  private let known = Atomic<UInt64>(0)

  /// The name of the class's property.
  private let propertyName: String

  /// Creates the key of a property.
  public init(_ name: String) {
    self.name = name
    propertyName = name
  }

  /// Creates the key of a class's property that returns the primitive value of a model's property.
  ///
  /// - Parameters:
  ///   - name: The name of the model's property: `age`.
  ///   - propertyName: The name of the class's property: `primitiveAge`.
  public init(_ name: String, propertyName: String) {
    self.name = name
    self.propertyName = propertyName
  }

  /// Returns the slot of the property.
  ///
  /// Stops the program if the entity has no such property, as `value(forKey:)` does. Returns 0 instead if the object
  /// has no model, or if a ``KeyPathProbe`` is reading it.
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
      // Another version of the model that is in use may have the property.
      if KeyPathProbe.noteMissingKey() { return 0 }
      stopProgram(
        "the entity \(layout.name) is not key value coding-compliant for the key \"\(name)\".")
    }
    // Both numbers are in one word, so another thread never reads the slot of a different layout.
    // No other memory depends on the word, so a relaxed store is enough.
    known.store(UInt64(layout.number) << 32 | UInt64(slot), ordering: .relaxed)
    return slot
  }
}
