extension BatchUpdate {
  /// Creates the update for a request, and resolves its names and IDs.
  init(_ request: NSBatchUpdateRequest, in coordinator: NSPersistentStoreCoordinator) throws {
    let layout = try request.layout(in: coordinator.layouts)
    let fetch = NSFetchRequest<any NSFetchRequestResult>()
    fetch.entity = layout.entity
    fetch.predicate = request.predicate
    fetch.includesSubentities = request.includesSubentities
    // The plan of a fetch checks the predicate's names and types, so a batch update throws the same errors as a
    // fetch.
    let plan = try FetchPlan(fetch, in: coordinator)
    let binder = PredicateBinder(layout, conversion: plan.conversion)
    var assignments: [(slot: PropertySlot, value: Value)] = []
    for (key, value) in request.propertiesToUpdate ?? [:] {
      for (slot, value) in try Self.assignments(key.base, value, layout, binder) {
        // A property may be present under its name and as a description, which are different keys.
        if assignments.contains(where: { $0.slot === slot }) {
          throw CoreDataError.badRequest(
            "propertiesToUpdate contains \(layout.name).\(slot.name) twice")
        }
        assignments.append((slot, value))
      }
    }
    if assignments.isEmpty {
      throw CoreDataError.badRequest("a batch update of \(layout.name) has no propertiesToUpdate")
    }
    self.init(rows: plan.query, assignments: assignments)
  }

  /// Returns the values to write for a key. For a composite attribute these are the values of all elements.
  private static func assignments(
    _ key: Any, _ newValue: Any, _ layout: EntityLayout, _ binder: PredicateBinder
  ) throws -> [(PropertySlot, Value)] {
    let slot = try slot(key, in: layout)
    guard slot.kind == .composite else {
      return [(slot, try value(newValue, slot, layout, binder))]
    }
    var constant: Any? = newValue
    if let expression = newValue as? NSExpression {
      // A composite attribute has no column of its own, so there is no expression for all of its
      // elements.
      guard case .constant(let value) = try binder.operand(expression) else {
        throw CoreDataError.badRequest(
          "cannot update \(layout.name).\(slot.name) to the value of \(expression)")
      }
      constant = value
    }
    return try CompositeValue(slot, in: layout).values(of: constant).map {
      ($0.slot, .constant(try BatchInsertion.stored($0.value, $0.slot, in: layout)))
    }
  }

  private static func slot(_ key: Any, in layout: EntityLayout) throws -> PropertySlot {
    let name: String
    switch key {
    case let text as String: name = text
    case let property as NSPropertyDescription: name = property.name
    default:
      throw CoreDataError.badRequest(
        "a key of propertiesToUpdate must be a name or a property, not \(key)")
    }
    guard let slot = layout.slot(named: name) else {
      throw CoreDataError.unknownKey(name, in: layout)
    }
    guard BatchInsertion.isWritable(slot) || slot.kind == .composite && !slot.isTransient else {
      throw CoreDataError.badRequest(
        "Invalid property in a batch update: \(layout.name).\(name) is "
          + (slot.relationship != nil
            ? "a relationship" : "a transient, derived or fetched property"))
    }
    return slot
  }

  private static func value(
    _ value: Any, _ slot: PropertySlot, _ layout: EntityLayout, _ binder: PredicateBinder
  ) throws -> Value {
    guard let expression = value as? NSExpression else {
      return .constant(try BatchInsertion.stored(value, slot, in: layout))
    }
    switch try binder.operand(expression) {
    case .constant(let constant):
      return .constant(try BatchInsertion.stored(constant, slot, in: layout))
    case .bound(let bound):
      guard fits(bound.kind, slot) else {
        throw CoreDataError.badRequest(
          "cannot update \(layout.name).\(slot.name) to the value of \(expression)")
      }
      return .expression(bound)
    case .composite(let composite): throw composite.refusal
    }
  }
}
