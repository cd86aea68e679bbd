extension PredicateBinder {
  /// Returns `ANY path op value`: whether the condition is true for some value of the left side.
  package func quantified(
    _ comparison: NSComparisonPredicate, _ condition: (BoundPredicate) -> BoundPredicate
  ) throws -> BoundPredicate {
    if let constant = try constantValue(comparison.leftExpression),
      KeyValueCollection.dictionary(constant.value) != nil
    {
      throw CoreDataError.badRequest(
        "ANY and ALL require a collection on the left, not a dictionary: \(comparison.predicateFormat)"
      )
    }
    if let elements = try elements(comparison.leftExpression) {
      return .or(try elements.map { .isTrue(condition(try compare($0, comparison))) })
    }
    let resolved = try resolve(comparison.leftExpression)
    // Apple's Core Data accepts ANY before the variable of a subquery, which already represents one of many objects.
    if variables.isEmpty, let subject = resolved.singleSubject {
      throw CoreDataError.badRequest(
        "ANY and ALL require a to-many key path on the left, not \(subject):"
          + " \(comparison.predicateFormat)")
    }
    return try some(of: resolved) { member, binder in
      condition(try binder.compare(member, comparison))
    }
  }

  /// Returns whether some value at the end of a path satisfies a condition. Enters every to-many relationship of the
  /// path.
  package func some(
    of resolved: ResolvedExpression,
    _ condition: (Operand, PredicateBinder) throws -> BoundPredicate
  ) throws -> BoundPredicate {
    func exists(
      _ members: BoundMembers, _ predicate: (PredicateBinder) throws -> BoundPredicate
    ) throws -> BoundPredicate {
      let inner = try predicate(entering(members.collection))
      return .exists(members.collection, members.condition.map { .and([$0, inner]) } ?? inner)
    }
    switch resolved {
    case .single(let expression): return try condition(.bound(expression), self)
    case .composite(let composite): return try condition(.composite(composite), self)
    case .list(let elements):
      return .or(
        try elements.map { .isTrue(try some(of: try resolve($0), condition)) })
    case .values(let values):
      return try exists(values.members) { inner in
        let isFulfilled = try condition(.bound(values.element), inner)
        // A set of values does not contain NULL.
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

  /// Binds the parts of an OR.
  ///
  /// Many conditions of the form `ANY path op value` on one key path become one, so that the members are read once.
  package func alternatives(_ parts: [NSPredicate]) throws -> [BoundPredicate] {
    // Each separate condition would be a subquery, and SQLite keeps all of them open at the same
    // time.
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
      // The combined condition has replaced the first condition on this path already.
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

  /// Returns whether one of the conditions is true for some member; nil if one of them cannot be bound, or if the path
  /// leads to only one value. The caller then binds each condition separately, which throws the error, if any.
  private func anyOf(_ comparisons: [NSComparisonPredicate]) throws -> BoundPredicate? {
    for comparison in comparisons { try comparison.checkNesting() }
    do {
      let resolved = try resolve(comparisons[0].leftExpression)
      if resolved.singleSubject != nil { return nil }
      return try some(of: resolved) { member, binder in
        .or(
          EqualityLists.joining(
            try comparisons.map { try binder.compare(member, $0) }, .or))
      }
    } catch {
      return nil
    }
  }
}
