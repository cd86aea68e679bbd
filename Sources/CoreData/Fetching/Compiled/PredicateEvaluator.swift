/// A bound predicate, compiled once and tried on many objects.
///
/// It is the one evaluator of membership in memory: of unsaved changes in a fetch, of live results,
/// of ``CompiledPredicate``. NULL is unknown, as in SQL.
///
/// `PredicateCompiler` makes a tree of conditions, each for one kind of operand: an integer in a range, the beginning
/// of a text, an ID among keys. So trying an object mostly decides nothing about types.
final class PredicateEvaluator: Sendable {
  private let condition: CompiledCondition
  private let layout: FrameLayout
  /// Frames of the last single object, which the next one is probably read as.
  private let spare: SpareFrames
  /// The entities whose IDs are compared; nil where a block may look at any ID.
  private let comparedEntities: [EntityLayout]?

  init(_ predicate: BoundPredicate) {
    var compiler = PredicateCompiler()
    condition = compiler.condition(predicate)
    layout = FrameLayout(compiler.frameSlots)
    spare = SpareFrames(layout)
    comparedEntities = compiler.comparedEntities
  }

  /// Whether another ID of one of some objects may decide otherwise.
  func dependsOnIDs(of objects: [NSManagedObject]) -> Bool {
    guard let comparedEntities else { return true }
    return comparedEntities.contains { entity in
      objects.contains { $0.layout.isKind(of: entity) }
    }
  }

  /// Whether the predicate is true for an object.
  ///
  /// - Throws: What reading a row or a relationship from the store throws, and what a function
  ///   throws.
  func matches(_ object: NSManagedObject) throws -> Bool {
    let object = Unmanaged.passUnretained(object)
    return try spare.withFrames { frames in
      try frames[0].load(object)
      return try condition.truth(frames) == .yes
    }
  }

  /// Calls `body` with each object for which the predicate is true.
  ///
  /// Much faster than asking for one object after the other: what is common to objects that were
  /// fetched together is looked up once.
  ///
  /// - Parameters:
  ///   - objects: kept alive by the caller.
  ///   - entity: objects of other entities, subentities aside, are passed over.
  func forEachMatch(
    in objects: UnsafeBufferPointer<Unmanaged<NSManagedObject>>, of entity: EntityLayout,
    _ body: (Unmanaged<NSManagedObject>) -> Void
  ) throws {
    try layout.withFrames { frames in
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

/// A value of an object, compiled once: what rows are ordered by.
final class ValueEvaluator: Sendable {
  private let value: CompiledValue
  private let layout: FrameLayout

  init(_ expression: BoundExpression) {
    var compiler = PredicateCompiler()
    value = compiler.value(expression)
    layout = FrameLayout(compiler.frameSlots)
  }

  /// The value for an object; NULL where a step leads nowhere.
  func value(of object: NSManagedObject) throws -> StoredValue {
    try layout.withFrames { frames in
      try frames[0].load(Unmanaged.passUnretained(object))
      return try value.value(frames)
    }
  }
}
