import Foundation

/// A chain of relationships from the entity of a request to an entity whose objects decide about
/// its results: when such an object changes, the rows that lead to it must be looked at again.
struct RelationshipDependency {
  /// The entity and slot of each step.
  let steps: [(layout: EntityLayout, slot: Int)]
  /// The entity at the end.
  let end: EntityLayout

  static func all(of plan: FetchPlan) -> [RelationshipDependency] { Collector(plan).found }

  /// Whether a plan's predicate names objects by IDs that end with the next save.
  static func namesUnsavedObjects(_ plan: FetchPlan) -> Bool { Collector(plan).namesUnsavedObjects }

  /// The chain to what a path names by its ID; nil for a path to an attribute or to the row itself.
  init?(toReferenceOf path: BoundPath) {
    guard case .reference(let slot) = path.terminal, path.level == 0,
      let destination = path.destination
    else { return nil }
    var collector = Collector()
    steps = collector.steps(path) + [(path.end, slot)]
    end = destination
  }

  init(steps: [(layout: EntityLayout, slot: Int)], end: EntityLayout) {
    self.steps = steps
    self.end = end
  }

  /// Walks a predicate and notes every relationship it passes through.
  private struct Collector {
    /// By level: the steps that lead to the rows of the level.
    var prefixes: [Int: [(layout: EntityLayout, slot: Int)]] = [:]
    var found: [RelationshipDependency] = []
    var namesUnsavedObjects = false

    init() {}

    init(_ plan: FetchPlan) {
      for sort in plan.sorts { visit(sort.key) }
      if let predicate = plan.predicate { visit(predicate) }
    }

    mutating func visit(_ constant: StoredValue) {
      if case .reference(let id) = constant, id.isTemporaryID { namesUnsavedObjects = true }
    }

    mutating func visit(_ path: BoundPath) { _ = steps(path) }

    /// Notes the to-one steps of a path, and returns all steps from the root to its end.
    mutating func steps(_ path: BoundPath) -> [(layout: EntityLayout, slot: Int)] {
      var steps = prefixes[path.level, default: []]
      var layout = path.start
      for slot in path.steps {
        steps.append((layout, slot))
        layout = layout.slots[slot].relationship?.destination ?? layout
        add(steps, end: layout)
      }
      return steps
    }

    mutating func enter(_ collection: BoundCollection) {
      var steps = steps(collection.owner)
      steps.append((collection.owner.end, collection.slot))
      add(steps, end: collection.destination)
      prefixes[collection.level] = steps
    }

    mutating func enter(_ members: BoundMembers) {
      enter(members.collection)
      if let condition = members.condition { visit(condition) }
    }

    mutating func visit(_ values: BoundValues) {
      enter(values.members)
      visit(values.element)
    }

    mutating func add(_ steps: [(layout: EntityLayout, slot: Int)], end: EntityLayout) {
      let isKnown = found.contains { known in
        known.steps.count == steps.count
          && zip(known.steps, steps).allSatisfy { $0.layout === $1.layout && $0.slot == $1.slot }
      }
      if !isKnown { found.append(RelationshipDependency(steps: steps, end: end)) }
    }

    mutating func visit(_ predicate: BoundPredicate) {
      switch predicate {
      case .value: break
      case .and(let parts), .or(let parts): for part in parts { visit(part) }
      case .not(let part), .isTrue(let part): visit(part)
      case .among(let expression, let values):
        visit(expression)
        for value in values { visit(value) }
      case .isNull(let expression), .match(let expression, _): visit(expression)
      case .compare(let left, _, let right), .identical(let left, let right),
        .matchValues(let left, _, let right, _):
        visit(left)
        visit(right)
      case .between(let value, let low, let high):
        for expression in [value, low, high] { visit(expression) }
      case .exists(let collection, let inner):
        enter(collection)
        visit(inner)
      case .isMode(let expression, let values):
        visit(expression)
        visit(values)
      case .isEntity(let path, _): visit(path)
      case .byObject(let question): for path in question.paths { visit(path) }
      }
    }

    mutating func visit(_ expression: BoundExpression) {
      switch expression {
      case .constant(let value, _): visit(value)
      case .property(let path): visit(path)
      case .count(let members): enter(members)
      case .statistic(_, let values): visit(values)
      case .arithmetic(_, let left, let right):
        visit(left)
        visit(right)
      case .function(_, let arguments): for argument in arguments { visit(argument) }
      case .random(let limit): if let limit { visit(limit) }
      case .conditional(let predicate, let first, let second):
        visit(predicate)
        visit(first)
        visit(second)
      case .element(let members, _, let element):
        enter(members)
        visit(element)
      case .groupAggregate(_, let argument): visit(argument)
      }
    }
  }
}
