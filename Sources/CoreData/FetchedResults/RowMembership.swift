/// Which objects are rows of live results, by entity and predicate: what the plan says, without the plan.
///
/// Whoever asks a plan copies it, which counts ten references. Where a hundred results hear of a change,
/// that would be a third of what telling them takes.
final class RowMembership {
  private let layout: EntityLayout
  private let includesSubentities: Bool
  /// The compiled predicate; nil where all objects of the entity are rows.
  @exclusivity(unchecked)
  private var evaluator: PredicateEvaluator?

  /// What says whether an object's store is asked; nil where all are.
  private let stores: FetchPlan?

  init(_ plan: FetchPlan) {
    layout = plan.layout
    stores = plan.asksAllStores ? nil : plan
    includesSubentities = plan.includesSubentities
    evaluator = plan.evaluator
  }

  /// The plan's predicate was bound anew.
  func take(predicateOf plan: FetchPlan) { evaluator = plan.evaluator }

  /// Whether an object of an entity can be a row.
  func covers(_ other: EntityLayout) -> Bool {
    other === layout || includesSubentities && other.isKind(of: layout)
  }

  /// Whether an object of an entity that is covered is a row, by its state in memory.
  func matches(_ object: NSManagedObject) throws -> Bool {
    if let stores, !stores.asksStore(of: object) { return false }
    guard let evaluator else { return true }
    return try evaluator.matches(object)
  }
}
