extension ObjectPredicate {
  /// Returns whether the condition is true for an object with its current values.
  func holds(for object: NSManagedObject) throws -> Bool {
    try predicate.truth(with: object, nilRule: .store) ?? false
  }
}

extension BoundPredicate {
  /// Returns a predicate that is true for the rows of some objects.
  private static func naming(
    _ objects: [NSManagedObject], _ layout: EntityLayout
  ) -> BoundPredicate {
    if objects.isEmpty { return .value(false) }
    let row = BoundPath(level: 0, start: layout, steps: [], end: layout, terminal: .object)
    return .among(.property(row), objects.map { .reference($0.ownID) })
  }

  /// Returns a copy of the predicate. Each condition that needs objects is replaced with a comparison with the IDs of
  /// the objects that satisfy it.
  ///
  /// - Parameters:
  ///   - objects: All objects that the predicate will be evaluated on.
  ///   - layout: The entity of the request.
  ///   - cancellation: Ends the evaluation at the next object.
  func evaluated(
    on objects: [NSManagedObject], _ layout: EntityLayout, _ cancellation: Cancellation?
  ) throws -> BoundPredicate {
    func evaluate(_ part: BoundPredicate) throws -> BoundPredicate {
      try part.evaluated(on: objects, layout, cancellation)
    }
    switch self {
    case .byObject(let part):
      let matching = try objects.filter { object in
        try cancellation?.check()
        return try part.holds(for: object)
      }
      return .naming(matching, layout)
    case .and(let parts): return .and(try parts.map(evaluate))
    case .or(let parts): return .or(try parts.map(evaluate))
    case .not(let part): return .not(try evaluate(part))
    case .isTrue(let part): return .isTrue(try evaluate(part))
    default: return self
    }
  }
}
