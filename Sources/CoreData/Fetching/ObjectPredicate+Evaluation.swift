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
  /// - Parameter objects: All objects that the predicate will be evaluated on.
  func evaluated(on objects: [NSManagedObject], _ layout: EntityLayout) throws -> BoundPredicate {
    switch self {
    case .byObject(let part):
      return .naming(try objects.filter(part.holds), layout)
    case .and(let parts): return .and(try parts.map { try $0.evaluated(on: objects, layout) })
    case .or(let parts): return .or(try parts.map { try $0.evaluated(on: objects, layout) })
    case .not(let part): return .not(try part.evaluated(on: objects, layout))
    case .isTrue(let part): return .isTrue(try part.evaluated(on: objects, layout))
    default: return self
    }
  }
}
