/// A predicate compiled for the objects of one entity. Compiling resolves key paths, converts constants to the types of
/// their attributes, and prepares patterns. Comparing an attribute with a constant then usually boxes no values and
/// creates no strings.
///
/// ```swift
/// let adults = try CompiledPredicate(NSPredicate(format: "age >= 18"), for: Person.entity())
/// let voters = try adults.filter(people)
/// ```
///
/// It selects the same objects as a fetch with the predicate: a comparison with nil is unknown and selects nothing, so
/// `name != "x"` does not select objects without a name. `evaluate(with:)` of `NSPredicate` follows Foundation instead,
/// where `nil != "x"` is true.
///
/// An object or ID of another coordinator that has the same store open equals its row, as in a fetch.
///
/// A compiled predicate may be shared between threads. Evaluate it on the queue of the objects' context.
///
/// Compared to Apple's Core Data: new.
public final class CompiledPredicate: Sendable {
  private let evaluators: LocalEvaluators
  private let layout: EntityLayout

  /// Compiles a predicate. Afterwards the entity's model can no longer be changed.
  ///
  /// - Throws: `NSCoreDataError` if the entity belongs to no model, and for anything that a fetch from a database
  ///   would reject too: an unknown key, a comparison of different types, a block, or a variable without a value;
  ///   `InvalidPredicateError` if the predicate nests too deeply.
  public init(_ predicate: NSPredicate, for entity: NSEntityDescription) throws {
    guard let layout = EntityLayout.of(entity) else {
      throw CoreDataError.badRequest(
        "cannot compile a predicate: its entity \"\(entity.name ?? "")\" belongs to no model")
    }
    self.layout = layout
    let conversion = ConstantConversion { [model = layout.model] id in
      // The object may belong to a coordinator with another copy of the model.
      guard id.layout.model !== model, let layout = model.layout(named: id.layout.name) else {
        return id
      }
      return NSManagedObjectID(layout: layout, key: id.key, origin: id.origin)
    }
    let bound = try PredicateBinder(layout, conversion: conversion).bind(predicate)
    if let part = bound.objectPredicate { throw part.refusal }
    evaluators = LocalEvaluators(bound)
  }

  /// Returns whether the predicate is true for an object with its current values, including unsaved changes.
  ///
  /// It takes about as long as accessing a few values; for many objects, `filter(_:)` is about twice as fast. If the
  /// object is a fault, its row is read first.
  ///
  /// - Parameter object: An object of the entity or of one of its subentities. The result is false for other objects.
  /// - Throws: An error if a row or relationship must be read and the store fails, if MATCHES exceeds its time limit,
  ///   or if a function of the predicate throws.
  ///
  /// ```swift
  /// let isAdult = try CompiledPredicate(NSPredicate(format: "age >= 18"), for: Person.entity())
  /// print(try isAdult.evaluate(with: person))  // true
  /// ```
  public func evaluate(with object: NSManagedObject) throws -> Bool {
    guard covers(object) else { return false }
    return try evaluators.evaluator(for: object).matches(object)
  }

  /// Returns the objects for which the predicate is true, in the order of the array.
  ///
  /// O(n). Conditions that compare an attribute with a constant usually allocate nothing. All objects must belong to
  /// the same context.
  ///
  /// - Throws: The errors of `evaluate(with:)`.
  public func filter<Object: NSManagedObject>(_ objects: [Object]) throws -> [Object] {
    var found = ContiguousArray<Unmanaged<NSManagedObject>>()
    return try withExtendedLifetime(objects) {
      try forEachMatch(in: objects) { found.append($0) }
      // Creating an empty array below would write to the storage that all empty arrays share, which is a data race.
      if found.isEmpty { return [] }
      return found.withUnsafeBytes { references in
        Array(unsafeUninitializedCapacity: found.count) { buffer, count in
          _ = buffer.initialize(fromContentsOf: references.bindMemory(to: Object.self))
          count = found.count
        }
      }
    }
  }

  /// Returns the number of objects for which the predicate is true.
  ///
  /// O(n). Conditions that compare an attribute with a constant usually allocate nothing. All objects must belong to
  /// the same context.
  ///
  /// - Throws: The errors of `evaluate(with:)`.
  ///
  /// ```swift
  /// let isOld = try CompiledPredicate(NSPredicate(format: "age > 50"), for: Person.entity())
  /// print(try isOld.count(in: people))  // 3
  /// ```
  public func count<Object: NSManagedObject>(in objects: [Object]) throws -> Int {
    var count = 0
    try forEachMatch(in: objects) { _ in count += 1 }
    return count
  }

  private func forEachMatch<Object: NSManagedObject>(
    in objects: [Object], _ body: (Unmanaged<NSManagedObject>) -> Void
  ) throws {
    guard let first = objects.first else { return }
    let evaluator = evaluators.evaluator(for: first)
    // The objects are read directly from memory, because an array's iterator counts references.
    try objects.withUnsafeBytes {
      try evaluator.forEachMatch(
        in: $0.bindMemory(to: Unmanaged<NSManagedObject>.self), of: layout, body)
    }
  }

  private func covers(_ object: NSManagedObject) -> Bool {
    object.layout === layout || object.layout.isKind(of: layout)
  }
}
