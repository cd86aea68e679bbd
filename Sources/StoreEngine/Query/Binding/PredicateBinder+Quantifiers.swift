extension PredicateBinder {
  /// `ANY path op value`: whether the condition holds for some value of the left side.
  package func quantified(
    _ comparison: NSComparisonPredicate, _ condition: (BoundPredicate) -> BoundPredicate
  ) throws -> BoundPredicate {
    if let constant = try constantValue(comparison.leftExpression),
      KeyValueCollection.dictionary(constant.value) != nil
    {
      throw CoreDataError.badRequest(
        "ANY and ALL need a collection on the left, not a dictionary: \(comparison.predicateFormat)"
      )
    }
    if let elements = try elements(comparison.leftExpression) {
      return .or(try elements.map { .isTrue(condition(try compare($0, comparison))) })
    }
    let resolved = try resolve(comparison.leftExpression)
    if case .single(let expression) = resolved {
      // Of a subquery's variable, which stands for one of many already, Apple's SQL takes it.
      if !variables.isEmpty { return condition(try compare(.bound(expression), comparison)) }
      throw CoreDataError.badRequest(
        "ANY and ALL need a to-many key path on the left, not \(expression.subject):"
          + " \(comparison.predicateFormat)")
    }
    return try some(of: resolved) { member, binder in
      condition(try binder.compare(.bound(member), comparison))
    }
  }

  /// Descends through every to-many relationship of a path, and asks for a value at its end that
  /// fulfils a condition.
  package func some(
    of resolved: ResolvedExpression,
    _ condition: (BoundExpression, PredicateBinder) throws -> BoundPredicate
  ) throws -> BoundPredicate {
    func exists(
      _ members: BoundMembers, _ predicate: (PredicateBinder) throws -> BoundPredicate
    ) throws -> BoundPredicate {
      let inner = try predicate(entering(members.collection))
      return .exists(members.collection, members.condition.map { .and([$0, inner]) } ?? inner)
    }
    switch resolved {
    case .single(let expression): return try condition(expression, self)
    case .list(let elements):
      return .or(
        try elements.map { .isTrue(try some(of: try resolve($0), condition)) })
    case .values(let values):
      return try exists(values.members) { inner in
        let isFulfilled = try condition(values.element, inner)
        // What is missing is not among the values.
        return values.keepsNulls
          ? isFulfilled : .and([.not(.isNull(values.element)), isFulfilled])
      }
    case .collection(let members, let rest):
      return try exists(members) { inner in
        let next = try inner.resolve(keys: rest, level: members.collection.level)
        return try inner.some(of: next, condition)
      }
    }
  }

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
