extension BoundExpression {
  /// Whether the expression contains an aggregate function over the rows of a group, such as `sum:(age)` in a
  /// dictionary request.
  package var hasGroupAggregate: Bool {
    switch self {
    case .groupAggregate: true
    case .arithmetic(_, let left, let right): left.hasGroupAggregate || right.hasGroupAggregate
    case .function(_, let arguments): arguments.contains(where: \.hasGroupAggregate)
    case .random(let limit): limit?.hasGroupAggregate ?? false
    case .conditional(let predicate, let first, let second):
      predicate.hasGroupAggregate || first.hasGroupAggregate || second.hasGroupAggregate
    case .constant, .property, .count, .statistic, .element, .entity, .entityName: false
    }
  }
}

extension BoundPredicate {
  /// Whether the predicate contains an aggregate function over the rows of a group.
  package var hasGroupAggregate: Bool {
    switch self {
    case .and(let parts), .or(let parts): parts.contains(where: \.hasGroupAggregate)
    case .not(let part), .isTrue(let part): part.hasGroupAggregate
    case .isNull(let value), .among(let value, _), .amongTexts(let value, _), .match(let value, _),
      .isMode(let value, _):
      value.hasGroupAggregate
    case .compare(let left, _, let right), .identical(let left, let right),
      .matchValues(let left, _, let right, _):
      left.hasGroupAggregate || right.hasGroupAggregate
    case .between(let value, let low, let high):
      value.hasGroupAggregate || low.hasGroupAggregate || high.hasGroupAggregate
    case .value, .exists, .isEntity, .inIndex, .byObject: false
    }
  }
}
