/// The objects that a to-one relationship or the object itself is compared with, as a set of keys.
struct ReferenceSet {
  private let origin: StoreOrigin?
  private let single: Int64?
  private let keys: Set<Int64>
  /// The rows, if the objects belong to several stores or only some of them are saved.
  private let others: Set<RowKey>
  /// The IDs of objects that were not saved when the set was created. They may be saved later.
  private let unsaved: [NSManagedObjectID]

  init(_ ids: [NSManagedObjectID]) {
    origin = ids.first?.origin
    let isOfOneStore = ids.allSatisfy { $0.origin === ids[0].origin }
    single = isOfOneStore && ids.count == 1 ? ids[0].key : nil
    keys = isOfOneStore ? Set(ids.map(\.key)) : []
    others = isOfOneStore ? [] : Set(ids.map { RowKey($0.layout, $0.key, $0.origin) })
    unsaved = ids.filter { $0.key < 0 }
  }

  @inline(__always)
  func contains(key: Int64, origin: StoreOrigin, root: @autoclosure () -> EntityLayout) -> Bool {
    // The object may have a permanent ID by now, while the set has its temporary key.
    if !unsaved.isEmpty, isSaved(key, origin) { return true }
    if !others.isEmpty { return others.contains(RowKey(root(), key, origin)) }
    // Keys identify rows only within one store.
    guard origin === self.origin else { return false }
    // Comparing one key needs no hashing.
    return single.map { $0 == key } ?? keys.contains(key)
  }

  @inline(never)
  private func isSaved(_ key: Int64, _ origin: StoreOrigin) -> Bool {
    unsaved.contains { unsaved in
      let id = unsaved.current
      return id.key == key && id.origin === origin
    }
  }
}

/// Whether the destination of a to-one relationship is in a set of objects. For an unchanged object, the destination is
/// checked without creating its ID.
final class DestinationCondition: CompiledCondition, @unchecked Sendable {
  private let accessor: AttributeAccessor
  private let references: ReferenceSet
  private let destination: EntityLayout
  private let inside: Truth
  private let outside: Truth

  init(
    _ accessor: AttributeAccessor, _ references: ReferenceSet, _ destination: EntityLayout,
    isNegated: Bool = false
  ) {
    self.accessor = accessor
    self.references = references
    self.destination = destination
    inside = Truth(!isNegated)
    outside = Truth(isNegated)
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let object = frames[accessor.frame].object else { return .unknown }
    if frames[accessor.frame].isPlain {
      let row = frames[accessor.frame].row
      let cells = frames[accessor.frame].columns[accessor.column]
      if cells.isNull(row) { return .unknown }
      // A relationship never leads to another store.
      let origin = object._withUnsafeGuaranteedRef { $0.origin }
      return references.contains(key: cells.integer(row), origin: origin, root: destination)
        ? inside : outside
    }
    guard let id = try object.takeUnretainedValue().toOneID(accessor.slot) else { return .unknown }
    return references.contains(key: id.key, origin: id.origin, root: id.layout) ? inside : outside
  }
}

/// Whether the object itself is in a set of objects.
final class IdentityCondition: CompiledCondition, @unchecked Sendable {
  private let frame: Int
  private let references: ReferenceSet
  private let inside: Truth
  private let outside: Truth

  init(frame: Int, _ references: ReferenceSet, isNegated: Bool = false) {
    self.frame = frame
    self.references = references
    inside = Truth(!isNegated)
    outside = Truth(isNegated)
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let object = frames[frame].object?.takeUnretainedValue() else { return .unknown }
    return references.contains(
      key: object.primaryKey, origin: object.origin, root: object.layout) ? inside : outside
  }
}

/// Whether a to-one relationship is nil.
final class NoDestinationCondition: CompiledCondition, @unchecked Sendable {
  private let accessor: AttributeAccessor
  init(_ accessor: AttributeAccessor) { self.accessor = accessor }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    if frames[accessor.frame].isPlain { return Truth(try accessor.isNull(frames)) }
    guard let object = frames[accessor.frame].object?.takeUnretainedValue() else { return .yes }
    return Truth(try object.toOneID(accessor.slot) == nil)
  }
}

/// Whether the entity of the object is in a list of entities. Subentities of these do not count.
final class EntityCondition: CompiledCondition, @unchecked Sendable {
  private let frame: Int
  private let layouts: [EntityLayout]

  init(frame: Int, _ layouts: [EntityLayout]) {
    self.frame = frame
    self.layouts = layouts
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let object = frames[frame].object?.takeUnretainedValue() else { return .unknown }
    return Truth(layouts.contains { $0 === object.layout })
  }
}
