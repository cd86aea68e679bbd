/// Resolves a predicate's names against an entity; every mistake in it is thrown here.
package struct PredicateBinder {
  /// The entity of the request.
  package let root: EntityLayout
  /// The entities whose rows are in scope, by level: the request's is 0, and the members of each
  /// to-many relationship that the predicate enters have a level of their own.
  package private(set) var scopes: [Int: EntityLayout]
  /// The variables of enclosing subqueries, and the levels of their rows.
  package private(set) var variables: [String: Int] = [:]
  private let levels = Levels()
  /// Names that are no properties: the columns of a request for dictionaries, for its
  /// `havingPredicate`.
  package var columns: [String: BoundExpression] = [:]
  /// Whether `sum:(age)` means the rows of a group, as it does in a request for dictionaries.
  package var bindsGroups = false

  /// How many AND, OR and NOT stand around this place.
  private var depth = 0
  /// Whether a NOT is among them.
  package private(set) var isNegated = false

  /// This binder inside another AND, OR or NOT.
  private func deeper() throws -> PredicateBinder {
    var inner = self
    inner.depth += 1
    if inner.depth > 100 {
      throw CoreDataError.badRequest(
        "the predicate nests deeper than 100 levels of AND, OR and NOT")
    }
    return inner
  }

  package init(_ layout: EntityLayout) {
    root = layout
    scopes = [0: layout]
  }

  /// Gives out levels, each once.
  private final class Levels {
    private var last = 0
    func next() -> Int {
      last += 1
      return last
    }
  }

  package func newLevel() -> Int { levels.next() }

  /// This binder with the members of a to-many relationship in scope.
  ///
  /// - Parameter variable: the name by which a subquery means them. Key paths without a variable
  ///   go on to mean the row of the request.
  package func entering(_ collection: BoundCollection, variable: String? = nil) -> PredicateBinder {
    var inner = self
    inner.scopes[collection.level] = collection.destination
    if let variable { inner.variables[variable] = collection.level }
    return inner
  }

  package func bind(_ predicate: NSPredicate) throws -> BoundPredicate {
    switch predicate.shape {
    case .constant(let value): return .value(value)
    case .compound(let type, let parts):
      var inner = try deeper()
      switch type {
      case .and:
        // The database's parser has no room for deep trees.
        let bound = try NSPredicate.flat(parts, type).map(inner.bind)
        return .and(Self.joiningRanges(EqualityLists.joining(bound, type)))
      case .or:
        return .or(
          EqualityLists.joining(try inner.alternatives(NSPredicate.flat(parts, type)), type))
      case .not:
        inner.isNegated = true
        guard let first = try parts.first.map(inner.bind) else {
          throw CoreDataError.badRequest("a NOT predicate has no subpredicate")
        }
        return .not(first)
      @unknown default:
        throw CoreDataError.badRequest("unknown kind of compound predicate: \(predicate)")
      }
    case .comparison(let comparison):
      try comparison.checkNesting()
      do { return try ranged(comparison, try bind(comparison)) } catch {
        return try deferredToObjects(predicate, error)
      }
    case .block:
      return try deferredToObjects(
        predicate,
        CoreDataError.badRequest(
          "a block predicate cannot be fetched with: this store has rows, and no objects to call it"
            + " with"))
    case .custom:
      throw CoreDataError.badRequest("unknown kind of predicate: \(predicate)")
    }
  }

  /// A part that could not be bound, for the objects of the request to answer; members of relationships
  /// are not asked.
  private func deferredToObjects(
    _ predicate: NSPredicate, _ refusal: any Error
  ) throws -> BoundPredicate {
    guard scopes.count == 1, columns.isEmpty, !bindsGroups,
      let question = ObjectQuestion(predicate, of: root, refusal: refusal)
    else { throw refusal }
    return .byObject(question)
  }

  private func bind(_ comparison: NSComparisonPredicate) throws -> BoundPredicate {
    switch comparison.comparisonPredicateModifier {
    case .direct: return try direct(comparison)
    case .any: return try quantified(comparison) { $0 }
    case .all:
      // No member may fail; one whose condition is unknown fails.
      return .not(try quantified(comparison) { .not(.isTrue($0)) })
    }
  }

  private func direct(_ comparison: NSComparisonPredicate) throws -> BoundPredicate {
    if let folded = try constantTruth(comparison) { return folded }
    if let elements = try compositeComparison(comparison) { return elements }
    switch comparison.predicateOperatorType {
    case .in:
      return try membership(
        of: comparison.leftExpression, in: comparison.rightExpression, comparison)
    case .contains:
      if let container = try textContainer(comparison.leftExpression) {
        return try match(container, comparison)
      }
      return try membership(
        of: comparison.rightExpression, in: comparison.leftExpression, comparison)
    default:
      return try compare(try operand(comparison.leftExpression), comparison)
    }
  }

  /// The truth of a comparison that reads nothing of the row, as memory finds it.
  private func constantTruth(_ comparison: NSComparisonPredicate) throws -> BoundPredicate? {
    guard try constantValue(comparison.leftExpression) != nil,
      try constantValue(comparison.rightExpression) != nil
    else { return nil }
    do {
      return .value(try comparison.truth(with: nil, nilRule: .store))
    } catch {
      throw CoreDataError.make(
        NSCoreDataError, "\(comparison): \(error.localizedDescription)", cause: error)
    }
  }
}
