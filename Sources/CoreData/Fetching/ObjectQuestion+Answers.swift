extension ObjectQuestion {
  /// Whether it is so of an object as the object is now.
  func holds(for object: NSManagedObject) throws -> Bool {
    try predicate.truth(with: object, nilRule: .store) ?? false
  }
}

extension BoundPredicate {
  /// A predicate that is true for the rows of some objects.
  private static func naming(
    _ objects: [NSManagedObject], _ layout: EntityLayout
  ) -> BoundPredicate {
    if objects.isEmpty { return .value(false) }
    let row = BoundPath(level: 0, start: layout, steps: [], end: layout, terminal: .object)
    return .among(.property(row), objects.map { .reference($0.objectID) })
  }

  /// The predicate with the answers of `objects`, which are all that it is asked of.
  func answered(by objects: [NSManagedObject], _ layout: EntityLayout) throws -> BoundPredicate {
    switch self {
    case .byObject(let question):
      return .naming(try objects.filter(question.holds), layout)
    case .and(let parts): return .and(try parts.map { try $0.answered(by: objects, layout) })
    case .or(let parts): return .or(try parts.map { try $0.answered(by: objects, layout) })
    case .not(let part): return .not(try part.answered(by: objects, layout))
    case .isTrue(let part): return .isTrue(try part.answered(by: objects, layout))
    default: return self
    }
  }
}
