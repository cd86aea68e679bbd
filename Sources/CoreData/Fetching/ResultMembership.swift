/// Which objects are results of a query, by their state in memory and without limit and offset.
///
/// A class, because whoever asks a plan copies it, which counts ten references: where a hundred live results hear of a
/// change, that would be a third of what telling them takes. Used on the queue of the plan's context.
final class ResultMembership {
  private let layout: EntityLayout
  private let includesSubentities: Bool
  private let predicate: BoundPredicate?
  /// The stores that are asked, where the request names some.
  private let stores: [StoreOrigin]?
  /// The compiled predicate, made when the first object is tried: most plans go to a store only.
  @exclusivity(unchecked)
  private var compiled: PredicateEvaluator?

  convenience init(_ query: RowQuery, stores: [StoreOrigin]? = nil) {
    self.init(query.layout, query.includesSubentities, query.predicate, stores)
  }

  private init(
    _ layout: EntityLayout, _ includesSubentities: Bool, _ predicate: BoundPredicate?,
    _ stores: [StoreOrigin]?
  ) {
    self.layout = layout
    self.includesSubentities = includesSubentities
    self.predicate = predicate
    self.stores = stores
  }

  /// The same for another predicate.
  func with(_ predicate: BoundPredicate?) -> ResultMembership {
    ResultMembership(layout, includesSubentities, predicate, stores)
  }

  /// Whether an object of an entity can be a result.
  func covers(_ other: EntityLayout) -> Bool {
    other === layout || includesSubentities && other.isKind(of: layout)
  }

  /// Whether an object of an entity that is covered is a result.
  func matches(_ object: NSManagedObject) throws -> Bool {
    try includesStore(of: object) && satisfiesPredicate(object)
  }

  /// Whether the predicate is true for an object.
  func satisfiesPredicate(_ object: NSManagedObject) throws -> Bool {
    if let compiled { return try compiled.matches(object) }
    return try compile()?.matches(object) ?? true
  }

  /// Whether another ID of one of some objects may make a result of an object, or none: the predicate compares IDs of
  /// their entities, or asks a block.
  func dependsOnIDs(of objects: [NSManagedObject]) -> Bool {
    compile()?.dependsOnIDs(of: objects) ?? false
  }

  private func compile() -> PredicateEvaluator? {
    compiled = compiled ?? predicate.map(PredicateEvaluator.init)
    return compiled
  }

  // MARK: Stores

  /// Whether the request names no stores.
  var includesAllStores: Bool { stores == nil }

  /// Whether results may come from a store.
  func includes(_ origin: StoreOrigin) -> Bool { stores?.contains { $0 === origin } ?? true }

  /// Whether results may come from the store that an object is of, or was assigned to; a new object that was
  /// not may go to any.
  func includesStore(of object: NSManagedObject) -> Bool {
    if stores == nil { return true }
    if object.key > 0 { return includes(object.origin) }
    let assigned = object.unsafeContext?.session.store(of: object)
    return assigned.map { includes($0.engine.origin) } ?? true
  }
}
