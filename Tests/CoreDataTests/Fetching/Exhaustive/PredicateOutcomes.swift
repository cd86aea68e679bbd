import CoreData
import Predicates

@testable import CoreData

/// The results of all evaluators for a predicate and the objects of a ``TypeWorld``.
struct PredicateOutcomes {
  /// `NSPredicate.evaluated(with:)`, by Foundation's rules.
  let plain: [Outcome]
  /// The same evaluator, with the store's rule for nil.
  let dynamic: [Outcome]
  /// The compiled predicate, as used for live results and unsaved changes, or nil if it cannot be compiled.
  private(set) var bound: [Outcome]?
  /// The IDs that a fetch returns.
  private(set) var fetched: Outcome
  private let predicate: NSPredicate
  private let world: TypeWorld
  /// The results of `evaluate(with:)`, which logs errors instead of throwing them.
  private var logged: [Bool]

  init(_ predicate: NSPredicate, _ world: TypeWorld) {
    self.predicate = predicate
    self.world = world
    plain = world.objects.map { object in Outcome { try predicate.evaluated(with: object) } }
    dynamic = world.objects.map { object in
      Outcome { try predicate.evaluated(with: object, nilRule: .store) }
    }
    logged = zip(world.objects, plain).map { object, outcome in
      // At most one error a second is logged, so `evaluate(with:)` is not called where evaluation throws.
      outcome.isFailure ? false : predicate.evaluate(with: object)
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
    request.predicate = predicate
    fetched = Outcome { Set(try world.context.fetch(request).map(\.objectID)) }
    guard let plan = try? FetchPlan(request, in: world.coordinator.layouts) else { return }
    bound = world.objects.map { object in Outcome { try plan.membership.matches(object) } }
  }

  var hasResult: Bool { !fetched.isFailure }

  /// A description of how the evaluators disagree, or nil if they agree.
  var difference: String? {
    for (row, isTrue) in logged.enumerated() where !plain[row].isFailure {
      if !plain[row].agrees(with: .value(isTrue)) { return "row \(row) logged \(isTrue)" }
    }
    guard case .value(let ids as Set<NSManagedObjectID>) = fetched else {
      // A fetch fails for all rows at once, and may refuse what can be evaluated in memory.
      guard let bound, !bound.contains(where: \.isFailure) else { return nil }
      return "bound \(bound), fetched \(fetched)"
    }
    guard let bound else { return "fetched \(fetched), but not bound" }
    let isConverted = self.isConverted || mayFailForSomeMembers
    for (row, object) in world.objects.enumerated() {
      let isFetched = ids.contains(object.objectID)
      if !bound[row].agrees(with: .value(isFetched)) {
        return "row \(row) bound \(bound[row]), fetched \(isFetched)"
      }
      if isConverted { continue }
      if !dynamic[row].agrees(with: bound[row]) {
        return "row \(row) dynamic \(dynamic[row]), bound \(bound[row])"
      }
      if !plain[row].agrees(with: bound[row]), !isOfNil(object),
        !isOfRoundedDecimal(object)
      {
        return "row \(row) plain \(plain[row]), bound \(bound[row])"
      }
    }
    return nil
  }

  // MARK: Documented differences

  /// The kinds of constants that a fetch converts to the kind they are compared with. Evaluation in memory does not
  /// convert them.
  ///
  /// Sources: the article "Differences from Apple's Core Data", "A date attribute may be compared with
  /// text such as …, a numeric one with text that spells a number"; sqlite.org/datatype3.html, "Type
  /// Conversions Prior To Comparison".
  private static let conversions: [(constant: ValueKind, value: ValueKind)] = [
    (.text, .date), (.double, .date), (.text, .double), (.double, .text), (.uri, .text),
    (.text, .uri), (.text, .uuid), (.data, .uuid),
  ]

  /// Returns all comparisons in the predicate, including those in conditionals and subqueries.
  private static func comparisons(in predicate: NSPredicate) -> [NSComparisonPredicate] {
    func inside(_ expression: NSExpression) -> [NSComparisonPredicate] {
      switch expression.node {
      case .conditional(let predicate, let one, let other):
        comparisons(in: predicate) + inside(one) + inside(other)
      case .subquery(let collection, _, let predicate):
        inside(collection) + comparisons(in: predicate)
      case .function(_, let operand, let arguments):
        ([operand].compactMap { $0 } + arguments).flatMap(inside)
      case .aggregate(let elements): elements.flatMap(inside)
      default: []
      }
    }
    switch predicate.shape {
    case .compound(_, let parts): return parts.flatMap(comparisons)
    case .comparison(let comparison):
      return [comparison] + inside(comparison.leftExpression) + inside(comparison.rightExpression)
    default: return []
    }
  }

  private var isConverted: Bool {
    Self.comparisons(in: predicate).contains { comparison in
      let (left, right) = (comparison.leftExpression, comparison.rightExpression)
      return Self.conversions.contains { constant, value in
        [(left, right), (right, left)].contains { one, other in
          constants(one).contains(constant) && kinds(other).contains(value)
        }
      }
    }
  }

  private func constants(_ expression: NSExpression) -> [ValueKind] {
    if case .aggregate(let elements) = expression.node { return elements.flatMap(constants) }
    return expression.isConstant ? kinds(expression) : []
  }

  private func kinds(_ expression: NSExpression) -> [ValueKind] {
    let binder = PredicateBinder(world.layout)
    if let kind = try? binder.single(expression).kind { return [kind.isNumber ? .double : kind] }
    if case .aggregate(let elements) = expression.node { return elements.flatMap(kinds) }
    if let members = ConstantConversion.members(of: try? binder.constantValue(expression)?.value) {
      return members.flatMap { kinds(NSExpression(forConstantValue: $0)) }
    }
    // A path to many values has the kind of its members.
    if case .keyPath(let path) = expression.node, path.contains(".") {
      return path.split(separator: ".").last { $0 != "SELF" && $0 != "self" }
        .map { kinds(NSExpression(forKeyPath: "\($0)")) } ?? []
    }
    return []
  }

  /// Whether a pattern is matched with members, whose order is undefined. If one member decides the result, an invalid
  /// pattern or a member that is not a string may remain unnoticed.
  private var mayFailForSomeMembers: Bool {
    Self.comparisons(in: predicate).contains {
      $0.comparisonPredicateModifier != .direct && $0.predicateOperatorType == .matches
    } && (plain + dynamic + (bound ?? [])).contains(where: \.isFailure)
  }

  /// Returns whether the predicate compares nil for an object, in one of the ways that differ in memory and in SQL.
  ///
  /// Sources: ``NilRule``. In memory nil equals nil, and `k != "x"` is true if k is nil; SQL excludes such rows
  /// (Douglas Hill, "Core Data predicates and nil"), even with NOT or ALL. In memory, the set of the values of a
  /// set's members has no nil (Apple's page on NSSet, `valueForKey:`). In SQL it is unknown whether nil is an
  /// element of a collection that the predicate does not spell out. A to-many relationship of a nil to-one is
  /// empty in a fetch and nil in memory ("Differences from Apple's Core Data": "`x IN {1, nil}`", "A to-many
  /// relationship of a to-one").
  private func isOfNil(_ object: NSManagedObject) -> Bool {
    var isNegated = false
    if case .compound = predicate.shape { isNegated = true }
    return Self.comparisons(in: predicate).contains { comparison in
      let values = [NilRule.foundation, .store].flatMap { rule in
        [comparison.leftExpression, comparison.rightExpression].map { side in
          Outcome { try side.value(with: object, nilRule: rule) }
        }
      }
      let hasNil = values.contains { outcome in
        guard case .value(let value) = outcome else { return false }
        return Scalar(value).isNull
          || KeyValueCollection(value)?.flattened.contains { Scalar($0).isNull } == true
      }
      switch comparison.predicateOperatorType {
      case .equalTo, .notEqualTo, .in, .contains: return hasNil
      default: return hasNil && (isNegated || comparison.comparisonPredicateModifier == .all)
      }
    }
  }

  /// Returns whether the predicate compares a decimal that its column rounds: "Differences from Apple's Core Data",
  /// "A decimal … is ordered, compared and added up in requests by the nearest double".
  private func isOfRoundedDecimal(_ object: NSManagedObject) -> Bool {
    Self.comparisons(in: predicate).contains { comparison in
      [comparison.leftExpression, comparison.rightExpression].contains { side in
        guard case .value(let value) = Outcome({ try side.evaluated(with: object, context: nil) })
        else { return false }
        return (KeyValueCollection(value)?.flattened ?? [value as Any]).contains {
          let scalar = Scalar($0)
          return !scalar.isNull && !ValueEquality.areEqual(scalar, scalar.kept)
        }
      }
    }
  }
}
