extension PredicateExpressions.Equal: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .condition(
      .comparing(try converter.expression(lhs), .equalTo, try converter.expression(rhs)))
  }
}

extension PredicateExpressions.NotEqual: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .condition(
      .comparing(try converter.expression(lhs), .notEqualTo, try converter.expression(rhs)))
  }
}

extension PredicateExpressions.Comparison: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    let type: NSComparisonPredicate.Operator =
      switch op {
      case .lessThan: .lessThan
      case .lessThanOrEqual: .lessThanOrEqualTo
      case .greaterThan: .greaterThan
      case .greaterThanOrEqual: .greaterThanOrEqualTo
      @unknown default:
        throw converter.refusal(of: "the comparison \(op)")
      }
    return .condition(
      .comparing(try converter.expression(lhs), type, try converter.expression(rhs)))
  }
}

extension PredicateExpressions.Conjunction: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .condition(
      NSCompoundPredicate(
        andPredicateWithSubpredicates: [
          try converter.predicate(lhs), try converter.predicate(rhs),
        ]))
  }
}

extension PredicateExpressions.Disjunction: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .condition(
      NSCompoundPredicate(
        orPredicateWithSubpredicates: [
          try converter.predicate(lhs), try converter.predicate(rhs),
        ]))
  }
}

extension PredicateExpressions.Negation: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .condition(
      NSCompoundPredicate(notPredicateWithSubpredicate: try converter.predicate(wrapped)))
  }
}
