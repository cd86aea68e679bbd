import Synchronization

/// The evaluators of a predicate. If the predicate contains object IDs, each coordinator has its own evaluator, because
/// each uses other IDs for the rows of a store.
///
/// The compiler cannot check that this class is `Sendable`, because a `BoundPredicate` may contain closures. Nothing
/// changes the predicate.
final class LocalEvaluators: @unchecked Sendable {
  private let predicate: BoundPredicate
  /// The evaluator with the IDs that are in the predicate.
  let original: PredicateEvaluator
  /// The store of all IDs in the predicate; nil if they belong to several stores or include unsaved objects.
  private let origin: StoreOrigin?
  private let known = Mutex<[Entry]>([])

  /// An evaluator with the IDs that a coordinator with these open stores uses.
  private struct Entry {
    let origins: [StoreOrigin]
    let evaluator: PredicateEvaluator

    func isFor(_ stores: [NSPersistentStore]) -> Bool {
      origins.elementsEqual(stores) { $0 === $1.engine.origin }
    }
  }

  init(_ predicate: BoundPredicate) {
    self.predicate = predicate
    original = PredicateEvaluator(predicate)
    let hasOneStore = original.origins.count == 1 && !original.containsUnsavedObjects
    origin = hasOneStore ? original.origins[0] : nil
  }

  /// Returns the evaluator for an object and for all objects of its context.
  func evaluator(for object: NSManagedObject) -> PredicateEvaluator {
    // An object in the store of the IDs belongs to the coordinator that uses them. This usual case needs no lock.
    if original.origins.isEmpty || origin === object.origin { return original }
    guard let coordinator = object.unsafeContext?.persistentStoreCoordinator else {
      return original
    }
    let stores = coordinator.persistentStores
    return known.withLock { known in
      if let entry = known.first(where: { $0.isFor(stores) }) { return entry.evaluator }
      let evaluator = PredicateEvaluator(predicate) { coordinator.localID(of: $0.current) }
      // The next save replaces the IDs of unsaved objects.
      if evaluator.containsUnsavedObjects { return evaluator }
      // A store that was closed never returns with the same origin.
      known.removeAll { $0.origins.contains { $0.store == nil } }
      known.append(Entry(origins: stores.map(\.engine.origin), evaluator: evaluator))
      return evaluator
    }
  }
}
