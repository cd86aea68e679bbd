/// Which objects are rows of live results, by entity and predicate: what the plan says, without the plan.
///
/// Whoever asks a plan copies it, which counts ten references. Where a hundred results hear of a change,
/// that would be a third of what telling them takes.
final class RowMembership {
  private let layout: EntityLayout
  private let includesSubentities: Bool
  private var predicate: FetchPlan.Membership?

  init(_ plan: FetchPlan) {
    layout = plan.layout
    includesSubentities = plan.includesSubentities
    predicate = plan.membership
  }

  /// The plan's predicate was bound anew.
  func take(predicateOf plan: FetchPlan) { predicate = plan.membership }

  /// Whether an object of an entity can be a row.
  func covers(_ other: EntityLayout) -> Bool {
    other === layout || includesSubentities && other.isKind(of: layout)
  }

  /// Whether an object is a row, by its state in memory.
  func matches(_ object: NSManagedObject) throws -> Bool {
    guard covers(object.layout) else { return false }
    guard let predicate else { return true }
    return try predicate.evaluator.matches(object)
  }
}
