/// A chain of relationships from the entity of a request to an entity whose objects affect its results. When such an
/// object changes, the rows that lead to it must be evaluated again.
package struct RelationshipDependency {
  /// The entity and slot of each step.
  package let steps: [(layout: EntityLayout, slot: Int)]
  /// The entity at the end.
  package let end: EntityLayout
  /// The slots of the end's objects whose changes affect the results; nil if every change may affect them.
  package private(set) var reads: Set<Int>?
  /// The slots of the end's objects that are read, including derived and transient ones.
  package private(set) var slots: Set<Int> = []

  package static func all(of plan: RowQuery) -> [RelationshipDependency] { Collector(plan).found }

  /// Returns whether a query's predicate or sort keys contain temporary object IDs, which the next save replaces.
  package static func containsUnsavedObjects(_ plan: RowQuery) -> Bool {
    Collector(plan).containsUnsavedObjects
  }

  /// Returns whether any part of a query for dictionaries contains temporary object IDs.
  package static func containsUnsavedObjects(_ plan: DictionaryQuery) -> Bool {
    var collector = Collector(plan.rows)
    for column in plan.columns { collector.visit(column.expression) }
    for group in plan.groups { collector.visit(group) }
    if let having = plan.having { collector.visit(having) }
    return collector.containsUnsavedObjects
  }

  /// The values that an expression is computed from.
  package struct Sources {
    /// The slots of the row itself.
    package let slots: Set<Int>
    /// The chains to other rows, including each of their prefixes: for `team.club.name` those to the team and to the
    /// club.
    package let chains: [RelationshipDependency]
    /// Whether the value can only be computed from managed objects.
    package let needsObjects: Bool
  }

  /// Returns the values that an expression is computed from.
  package static func sources(of expression: BoundExpression) -> Sources {
    var collector = Collector()
    collector.visit(expression)
    return Sources(
      slots: collector.ownReads, chains: collector.found, needsObjects: collector.needsObjects)
  }

  /// Creates the chain to the object whose ID a path reads; nil for a path that does not begin at the row of the
  /// request or does not end with a to-one relationship.
  package init?(toReferenceOf path: BoundPath) {
    guard case .reference(let slot) = path.terminal, path.level == 0,
      let destination = path.destination
    else { return nil }
    var collector = Collector()
    reads = nil
    steps = collector.steps(path) + [(path.end, slot)]
    end = destination
  }

  package init(
    steps: [(layout: EntityLayout, slot: Int)], end: EntityLayout, reading reads: Set<Int>? = nil
  ) {
    self.steps = steps
    self.end = end
    self.reads = reads
  }

  private func isSame(as steps: [(layout: EntityLayout, slot: Int)]) -> Bool {
    self.steps.count == steps.count
      && zip(self.steps, steps).allSatisfy { $0.layout === $1.layout && $0.slot == $1.slot }
  }

  /// Visits predicates and expressions, and records every relationship in them.
  private struct Collector {
    /// The steps that lead to the rows of a level, by level.
    var prefixes: [Int: [(layout: EntityLayout, slot: Int)]] = [:]
    var found: [RelationshipDependency] = []
    /// The slots of the row itself that affect the results.
    var ownReads: Set<Int> = []
    var containsUnsavedObjects = false
    var needsObjects = false

    init() {}

    init(_ plan: RowQuery) {
      for sort in plan.sorts { visit(sort.key) }
      if let predicate = plan.predicate { visit(predicate) }
    }

    mutating func visit(_ constant: StoredValue) {
      if case .reference(let id) = constant, id.key < 0 { containsUnsavedObjects = true }
    }

    mutating func visit(_ path: BoundPath) {
      let steps = steps(path)
      switch path.terminal {
      case .attribute(let slot), .reference(let slot): addDependency(slot, at: steps, in: path.end)
      case .object: break
      }
    }

    /// Records the to-one steps of a path, and returns all steps from the root to its end.
    mutating func steps(_ path: BoundPath) -> [(layout: EntityLayout, slot: Int)] {
      var steps = prefixes[path.level, default: []]
      var layout = path.start
      for slot in path.steps {
        addDependency(slot, at: steps, in: layout)
        steps.append((layout, slot))
        layout = layout.slots[slot].relationship?.destination ?? layout
        add(steps, end: layout)
      }
      return steps
    }

    mutating func enter(_ collection: BoundCollection) {
      var steps = steps(collection.owner)
      addDependency(collection.slot, at: steps, in: collection.owner.end)
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
      if found.contains(where: { $0.isSame(as: steps) }) { return }
      // Begin without slots: the condition may compare only the ID of the object at the end, which changes to the
      // object do not affect.
      found.append(RelationshipDependency(steps: steps, end: end, reading: []))
    }

    /// Records that the result depends on a slot of the objects at the end of steps.
    mutating func addDependency(
      _ slot: Int, at steps: [(layout: EntityLayout, slot: Int)], in layout: EntityLayout
    ) {
      if steps.isEmpty { ownReads.insert(slot) }
      guard let index = found.firstIndex(where: { $0.isSame(as: steps) }) else { return }
      found[index].slots.insert(slot)
      let property = layout.slots[slot]
      // A computed value changes with the values that it is computed from.
      if property.isTransient || property.property is NSDerivedAttributeDescription {
        found[index].reads = nil
      } else {
        found[index].reads?.insert(slot)
      }
    }

    /// Records that the result depends on all properties of the objects on a path.
    mutating func addDependencies(on path: BoundPath) {
      var steps = prefixes[path.level, default: []]
      var layout = path.start
      for slot in path.steps {
        steps.append((layout, slot))
        layout = layout.slots[slot].relationship?.destination ?? layout
        add(steps, end: layout)
        if let index = found.firstIndex(where: { $0.isSame(as: steps) }) {
          // A predicate that is evaluated with objects may read any of their properties.
          found[index].reads = nil
        }
      }
    }

    mutating func visit(_ predicate: BoundPredicate) {
      switch predicate {
      // `inIndex` only speeds up another condition, which determines the dependencies.
      case .value, .inIndex: break
      case .and(let parts), .or(let parts): for part in parts { visit(part) }
      case .not(let part), .isTrue(let part): visit(part)
      case .among(let expression, let values):
        visit(expression)
        for value in values { visit(value) }
      case .isNull(let expression), .match(let expression, _), .amongTexts(let expression, _):
        visit(expression)
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
      case .byObject(let part):
        needsObjects = true
        for path in part.paths { addDependencies(on: path) }
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
      case .entity(let path), .entityName(let path): visit(path)
      }
    }
  }
}
