/// Resolves the names in a predicate for an entity, and throws the first error in it.
package struct PredicateBinder {
  /// The entity of the request.
  package let root: EntityLayout
  /// The entities of the rows in scope by level. The entity of the request has level 0, and the members of each
  /// to-many relationship in the predicate have a level of their own.
  package private(set) var scopes: [Int: EntityLayout]
  /// The levels of the rows of enclosing subqueries by variable name.
  package private(set) var variables: [String: Int] = [:]
  /// Converts the constants of the request.
  package let conversion: ConstantConversion
  // A reference, so that all copies of the binder number their levels together, and execute a fetch expression once.
  private let shared = Shared()
  /// Names that are not properties: the columns of a dictionary request, for its `havingPredicate`.
  package var columns: [String: BoundExpression] = [:]
  /// Whether `sum:(age)` is an aggregate over the rows of a group, as in a dictionary request.
  package var bindsGroups = false

  /// The number of AND, OR and NOT around the current predicate. An AND directly inside another AND is not counted, nor
  /// an OR inside another OR.
  private var depth = 0
  /// Whether the current predicate is inside a NOT.
  package private(set) var isNegated = false

  /// Returns this binder for a predicate inside another AND, OR or NOT.
  private func deeper() throws -> PredicateBinder {
    var inner = self
    inner.depth += 1
    if inner.depth > 100 {
      throw CoreDataError.badRequest(
        "the predicate nests deeper than 100 levels of AND, OR and NOT")
    }
    return inner
  }

  package init(_ layout: EntityLayout, conversion: ConstantConversion = ConstantConversion()) {
    root = layout
    self.conversion = conversion
    scopes = [0: layout]
  }

  /// The state that all copies of a binder share.
  private final class Shared {
    var lastLevel = 0
    /// The results of fetch expressions. The expressions are kept, because another expression could otherwise be
    /// created at the address of a released one, and would have the same `ObjectIdentifier`.
    var fetched: [ObjectIdentifier: (fetch: NSFetchRequestExpression, value: Any)] = [:]
  }

  /// Returns a number that no other level has.
  package func newLevel() -> Int {
    shared.lastLevel += 1
    return shared.lastLevel
  }

  /// Returns the result of a fetch expression, which is executed only once, although several methods need the result.
  func fetchedValue(of fetch: NSFetchRequestExpression) throws -> Any {
    if let known = shared.fetched[ObjectIdentifier(fetch)] { return known.value }
    let value = try fetch.fetchedValue(with: nil, context: nil)
    shared.fetched[ObjectIdentifier(fetch)] = (fetch, value)
    return value
  }

  /// Returns a comparison with the results of its fetch expressions, so that evaluating it does not execute them.
  private func withFetchedValues(
    _ comparison: NSComparisonPredicate
  ) throws -> NSComparisonPredicate {
    func fetched(_ expression: NSExpression) throws -> NSExpression {
      guard let fetch = expression as? NSFetchRequestExpression else { return expression }
      return NSExpression(forConstantValue: try fetchedValue(of: fetch))
    }
    let (left, right) = (comparison.leftExpression, comparison.rightExpression)
    let (newLeft, newRight) = (try fetched(left), try fetched(right))
    if newLeft === left, newRight === right { return comparison }
    return NSComparisonPredicate(
      like: comparison, leftExpression: newLeft, rightExpression: newRight)
  }

  /// Returns this binder with the members of a to-many relationship in scope.
  ///
  /// - Parameter variable: The name of the members in a subquery. Key paths without a variable still begin at the row
  ///   of the request.
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
        // Nested ANDs are joined into one, because the database's parser limits the depth of expressions.
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
          "a block predicate cannot be used in a fetch request: this store has rows, and no objects to call"
            + " it with"))
    case .custom:
      throw CoreDataError.badRequest("unknown kind of predicate: \(predicate)")
    }
  }

  /// Returns a part that could not be bound to rows, for evaluation with the objects of the request. Throws `refusal`
  /// if that is impossible, for example for a part about members of a relationship or about groups, which are not
  /// objects of the request.
  private func deferredToObjects(
    _ predicate: NSPredicate, _ refusal: any Error
  ) throws -> BoundPredicate {
    guard scopes.count == 1, columns.isEmpty, !bindsGroups,
      var part = ObjectPredicate(predicate, of: root, refusal: refusal)
    else { throw refusal }
    if case .comparison(let comparison) = predicate.shape {
      // Otherwise a fetch would be executed for each object.
      part.predicate = try withFetchedValues(comparison)
    }
    return .byObject(part)
  }

  private func bind(_ comparison: NSComparisonPredicate) throws -> BoundPredicate {
    switch comparison.comparisonPredicateModifier {
    case .direct: return try direct(comparison)
    case .any: return try quantified(comparison) { $0 }
    case .all:
      // ALL is true if no member violates the condition. A member whose condition is unknown violates it.
      return .not(try quantified(comparison) { .not(.isTrue($0)) })
    }
  }

  private func direct(_ comparison: NSComparisonPredicate) throws -> BoundPredicate {
    if let folded = try constantTruth(comparison) { return folded }
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

  /// Returns the truth of a comparison that does not read the row, as evaluated in memory; nil for another comparison.
  private func constantTruth(_ comparison: NSComparisonPredicate) throws -> BoundPredicate? {
    guard try constantValue(comparison.leftExpression) != nil,
      try constantValue(comparison.rightExpression) != nil
    else { return nil }
    do {
      return .value(try withFetchedValues(comparison).truth(with: nil, nilRule: .store))
    } catch {
      throw CoreDataError.make(
        NSCoreDataError, "\(comparison): \(error.localizedDescription)", cause: error)
    }
  }
}
