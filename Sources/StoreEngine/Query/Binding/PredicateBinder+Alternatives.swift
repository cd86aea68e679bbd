import Predicates
package import Foundation

extension PredicateBinder {
  /// The parts of an OR.
  ///
  /// Many conditions of the form `ANY path op value` on one key path become one: its members are looked through once.
  /// Each by itself would be a query of its own, of which SQLite holds all open at a time.
  package func alternatives(_ parts: [NSPredicate]) throws -> [BoundPredicate] {
    guard parts.count >= EqualityLists.fewest else { return try parts.map(bind) }
    var groups: [String: [NSComparisonPredicate]] = [:]
    for part in parts {
      if let (path, comparison) = Self.anyOfPath(part) {
        groups[path, default: []].append(comparison)
      }
    }
    groups = groups.filter { $0.value.count >= EqualityLists.fewest }
    if groups.isEmpty { return try parts.map(bind) }
    var joined: [String: BoundPredicate] = [:]
    var bound: [BoundPredicate] = []
    for part in parts {
      guard let (path, _) = Self.anyOfPath(part), let group = groups[path] else {
        bound.append(try bind(part))
        continue
      }
      if joined[path] != nil { continue }
      guard let one = try anyOf(group) else { return try parts.map(bind) }
      joined[path] = one
      bound.append(one)
    }
    return bound
  }

  private static func anyOfPath(
    _ predicate: NSPredicate
  ) -> (path: String, comparison: NSComparisonPredicate)? {
    guard case .comparison(let comparison) = predicate.shape,
      comparison.comparisonPredicateModifier == .any, comparison.customSelector == nil,
      case .keyPath = comparison.leftExpression.node
    else { return nil }
    return (comparison.leftExpression.keyPath, comparison)
  }

  /// Some member that one of the conditions holds for; nil where one of them cannot be bound, which is then said of it alone.
  private func anyOf(_ comparisons: [NSComparisonPredicate]) throws -> BoundPredicate? {
    for comparison in comparisons { try comparison.checkNesting() }
    do {
      let resolved = try resolve(comparisons[0].leftExpression)
      if case .single = resolved { return nil }
      return try some(of: resolved) { member, binder in
        .or(
          EqualityLists.joining(
            try comparisons.map { try binder.compare(.bound(member), $0) }, .or))
      }
    } catch {
      return nil
    }
  }
}
