/// A bound predicate that is compiled once and evaluated on many objects.
///
/// It is used wherever a predicate is evaluated in memory: for unsaved changes in a fetch, for live
/// results, and for ``CompiledPredicate``. A comparison with NULL is unknown, as in SQL.
///
/// `PredicateCompiler` creates a tree of conditions, each of which is specialized for one kind of operand: an integer
/// in a range, a prefix of a string, an ID in a set of keys. So evaluating an object needs few decisions about types.
final class PredicateEvaluator: Sendable {
  private let condition: CompiledCondition
  private let layout: FrameLayout
  /// The frames that were used for the last object. They are kept, because the next object is probably in the same
  /// batch.
  private let spare: SpareFrames
  /// The entities whose IDs are compared; nil if a part that is evaluated with objects, such as a block, may access any
  /// ID.
  private let comparedEntities: [EntityLayout]?
  /// The stores of the object IDs that the predicate contains as constants, each once.
  let origins: [StoreOrigin]

  /// - Parameter localID: Translates the IDs in the predicate. The default is for predicates whose IDs all belong to
  ///   the evaluated objects' coordinator.
  init(
    _ predicate: BoundPredicate,
    localID: @escaping (NSManagedObjectID) -> NSManagedObjectID = { $0 }
  ) {
    var compiler = PredicateCompiler(localID: localID)
    condition = compiler.condition(predicate)
    layout = FrameLayout(compiler.frameSlots)
    spare = SpareFrames(layout)
    comparedEntities = compiler.comparedEntities
    origins = compiler.origins
  }

  /// Whether the predicate contains IDs of unsaved objects.
  var containsUnsavedObjects: Bool { origins.contains { $0 === StoreOrigin.temporary } }

  /// Returns whether new IDs of some objects may change the result.
  func dependsOnIDs(of objects: [NSManagedObject]) -> Bool {
    guard let comparedEntities else { return true }
    return comparedEntities.contains { entity in
      objects.contains { $0.layout.isKind(of: entity) }
    }
  }

  /// Returns whether the predicate is true for an object.
  ///
  /// - Throws: The errors of reading a row or relationship from the store, and the errors of functions and operators.
  func matches(_ object: NSManagedObject) throws -> Bool {
    let object = Unmanaged.passUnretained(object)
    return try spare.withFrames { frames in
      try frames[0].load(object)
      return try condition.truth(frames) == .yes
    }
  }

  /// Calls `body` with each object for which the predicate is true.
  ///
  /// This is faster than a call of `matches(_:)` for each object, because the frames are acquired only once.
  ///
  /// - Parameters:
  ///   - objects: The objects, which the caller keeps alive.
  ///   - entity: Only objects of this entity and its subentities are evaluated.
  func forEachMatch(
    in objects: UnsafeBufferPointer<Unmanaged<NSManagedObject>>, of entity: EntityLayout,
    _ body: (Unmanaged<NSManagedObject>) -> Void
  ) throws {
    try layout.withFrames { frames in
      // Consecutive objects are usually of one entity, so its ancestors are searched only when the
      // entity changes.
      var covered = Unmanaged.passUnretained(entity).toOpaque()
      for object in objects {
        let layout = object._withUnsafeGuaranteedRef { Unmanaged.passUnretained($0.layout) }
        if layout.toOpaque() != covered {
          guard layout._withUnsafeGuaranteedRef({ $0.isKind(of: entity) }) else { continue }
          covered = layout.toOpaque()
        }
        try frames[0].load(object)
        if try condition.truth(frames) == .yes { body(object) }
      }
    }
  }
}

/// A compiled expression, such as a sort key, which is evaluated on objects.
final class ValueEvaluator: Sendable {
  private let value: CompiledValue
  private let layout: FrameLayout

  init(_ expression: BoundExpression) {
    var compiler = PredicateCompiler()
    value = compiler.value(expression)
    layout = FrameLayout(compiler.frameSlots)
  }

  /// Returns the value for an object; NULL if a relationship on its key path is nil.
  func value(of object: NSManagedObject) throws -> StoredValue {
    try layout.withFrames { frames in
      try frames[0].load(Unmanaged.passUnretained(object))
      return try value.value(frames)
    }
  }
}
