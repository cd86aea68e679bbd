extension PredicateExpressions.Conditional: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .value(
      NSExpression(
        forConditional: try converter.predicate(test),
        trueExpression: try converter.expression(trueBranch),
        falseExpression: try converter.expression(falseBranch)))
  }
}

extension PredicateExpressions.NilCoalesce: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    let value = try converter.expression(lhs)
    return .value(
      .unlessNil(value, value, otherwise: try converter.expression(rhs)))
  }
}

extension PredicateExpressions.OptionalFlatMap: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    let value = try converter.expression(wrapped)
    converter.bind(variable.key, to: value)
    return .value(
      .unlessNil(
        value, try converter.expression(transform),
        otherwise: NSExpression(forConstantValue: nil)))
  }
}

extension PredicateExpressions.ForcedUnwrap: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    throw converter.refusal(of: "the force unwrap of \(try converter.words(inner))")
  }
}

extension NSExpression {
  /// Returns `TERNARY(value != nil, expression, otherwise)`.
  static func unlessNil(
    _ value: NSExpression, _ expression: NSExpression, otherwise: NSExpression
  ) -> NSExpression {
    NSExpression(
      forConditional: NSPredicate.comparing(
        value, .notEqualTo, NSExpression(forConstantValue: nil)),
      trueExpression: expression, falseExpression: otherwise)
  }
}
