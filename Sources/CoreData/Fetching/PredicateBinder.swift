import Foundation
import ObjectModel
import Predicates

/// Resolves a predicate's names against an entity; every mistake in it is thrown here.
struct PredicateBinder {
  /// The entities whose rows are in scope: the request's, then those of enclosing to-many
  /// relationships, outermost first.
  private(set) var scopes: [EntityLayout]
  /// The level that plain key paths start from.
  var level = 0
  /// The variables of enclosing subqueries, and the levels of their rows.
  private(set) var variables: [String: Int] = [:]

  init(_ layout: EntityLayout) { scopes = [layout] }

  /// This binder inside a to-many relationship.
  ///
  /// - Parameter variable: the name of a subquery's variable; without one, plain key paths mean
  ///   the members.
  func entering(_ collection: BoundCollection, variable: String? = nil) -> PredicateBinder {
    var inner = self
    inner.scopes = Array(scopes[..<collection.level]) + [collection.destination]
    if let variable {
      inner.variables[variable] = collection.level
    } else {
      inner.level = collection.level
    }
    return inner
  }

  func bind(_ predicate: NSPredicate) throws -> BoundPredicate {
    switch predicate.shape {
    case .constant(let value): return .value(value)
    case .compound(let type, let parts):
      let bound = try parts.map(bind)
      switch type {
      case .and: return .and(bound)
      case .or: return .or(bound)
      case .not:
        guard let first = bound.first else {
          throw CoreDataError.badRequest("a NOT predicate has no subpredicate")
        }
        return .not(first)
      @unknown default:
        throw CoreDataError.badRequest("unknown kind of compound predicate: \(predicate)")
      }
    case .comparison(let comparison): return try bind(comparison)
    case .block:
      throw CoreDataError.badRequest(
        "a block predicate cannot be fetched with: a store has no objects to call it with")
    case .custom:
      throw CoreDataError.badRequest("unknown kind of predicate: \(predicate)")
    }
  }

  private func bind(_ comparison: NSComparisonPredicate) throws -> BoundPredicate {
    switch comparison.comparisonPredicateModifier {
    case .direct: return try direct(comparison)
    case .any:
      return try quantified(comparison) { $0 }
    case .all:
      // No member may fail; one whose condition is unknown fails.
      return .not(try quantified(comparison) { .not(.isTrue($0)) })
    }
  }

  /// `ANY path op value`: whether the condition holds for some member of the path's collections.
  private func quantified(
    _ comparison: NSComparisonPredicate, _ condition: (BoundPredicate) -> BoundPredicate
  ) throws -> BoundPredicate {
    let resolved = try resolve(comparison.leftExpression)
    guard case .collection = resolved else {
      throw CoreDataError.badRequest(
        "ANY and ALL need a to-many key path on the left: \(comparison.predicateFormat)")
    }
    // The right side belongs to the row outside the collection.
    return try members(resolved) { member, _ in
      condition(try compare(member, comparison, with: comparison.rightExpression))
    }
  }

  /// Descends through every collection of a path, and binds a condition on what it ends in.
  func members(
    _ resolved: ResolvedPath,
    _ condition: (BoundExpression, PredicateBinder) throws -> BoundPredicate
  ) throws -> BoundPredicate {
    switch resolved {
    case .single(let expression): return try condition(expression, self)
    case .collection(let collection, let rest):
      let inner = entering(collection)
      let next = try inner.resolve(keys: rest, level: collection.level)
      return .exists(collection, try inner.members(next, condition))
    }
  }

  private func direct(_ comparison: NSComparisonPredicate) throws -> BoundPredicate {
    let left = comparison.leftExpression
    let right = comparison.rightExpression
    // Membership in a to-many relationship, from either side.
    if comparison.predicateOperatorType == .in, case .collection? = try? resolve(right) {
      return try contains(member: left, in: right, comparison)
    }
    if comparison.predicateOperatorType == .contains, case .collection? = try? resolve(left) {
      return try contains(member: right, in: left, comparison)
    }
    switch try resolve(left) {
    case .single(let expression): return try compare(expression, comparison, with: right)
    case .collection(let collection, _):
      let name = collection.owner.end.slots[collection.slot].name
      throw CoreDataError.badRequest(
        "to-many key not allowed here: \(name) in \(comparison.predicateFormat)"
          + " (write ANY, ALL or NONE before it, or @count after it)")
    }
  }

  private func contains(
    member: NSExpression, in collection: NSExpression, _ comparison: NSComparisonPredicate
  ) throws -> BoundPredicate {
    let equality = NSComparisonPredicate(
      leftExpression: collection, rightExpression: member, modifier: .direct, type: .equalTo,
      options: comparison.options)
    return try members(try resolve(collection)) { expression, _ in
      try compare(expression, equality, with: member)
    }
  }
}
