/// Decides which objects are results of a query by their state in memory, ignoring limit and offset.
///
/// This is a class because copying a struct of these properties would retain ten references. If a hundred live results
/// observed a change, a third of the time for notifying them would be spent on these copies. Used on the queue of the
/// context.
final class ResultMembership {
  private let layout: EntityLayout
  private let includesSubentities: Bool
  private let predicate: BoundPredicate?
  /// The stores of the request, if it specifies any.
  private let stores: [StoreOrigin]?
  /// The compiled predicate. Exclusivity is not checked at run time: the context's queue excludes
  /// overlapping accesses, and the check would cost time for each object.
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

  /// Returns the same membership with another predicate.
  func with(_ predicate: BoundPredicate?) -> ResultMembership {
    ResultMembership(layout, includesSubentities, predicate, stores)
  }

  /// Returns whether objects of an entity can be results.
  func covers(_ other: EntityLayout) -> Bool {
    other === layout || includesSubentities && other.isKind(of: layout)
  }

  /// Returns whether an object of a covered entity is a result.
  func matches(_ object: NSManagedObject) throws -> Bool {
    try includesStore(of: object) && satisfiesPredicate(object)
  }

  /// Returns whether the predicate is true for an object.
  func satisfiesPredicate(_ object: NSManagedObject) throws -> Bool {
    if let compiled { return try compiled.matches(object) }
    return try compile()?.matches(object) ?? true
  }

  /// Returns whether new IDs of some objects may change which objects are results, because the predicate compares IDs
  /// of their entities or has a part, such as a block, that is evaluated with objects.
  func dependsOnIDs(of objects: [NSManagedObject]) -> Bool {
    compile()?.dependsOnIDs(of: objects) ?? false
  }

  private func compile() -> PredicateEvaluator? {
    // Compiled only for the first object, because most predicates are evaluated only by a store.
    compiled = compiled ?? predicate.map { PredicateEvaluator($0) }
    return compiled
  }

  // MARK: Stores

  /// Whether the request reads all stores.
  var includesAllStores: Bool { stores == nil }

  /// Returns whether results may come from a store.
  func includes(_ origin: StoreOrigin) -> Bool { stores?.contains { $0 === origin } ?? true }

  /// Returns whether results may come from the store of an object. New objects without an assigned store are included.
  func includesStore(of object: NSManagedObject) -> Bool {
    if stores == nil { return true }
    if object.key > 0 { return includes(object.origin) }
    let assigned = object.unsafeContext?.session.store(of: object)
    // Without an assigned store, the next save may write the object to any store.
    return assigned.map { includes($0.engine.origin) } ?? true
  }
}
