// Swift expressions that the predicate language cannot represent. Each method throws an error that quotes its
// expression.

extension PredicateExpressions.TypeCheck: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    throw converter.refusal(of: "the type check \(try converter.words(input)) is \(Desired.self)")
  }
}

extension PredicateExpressions.ConditionalCast: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    throw converter.refusal(of: "the cast \(try converter.words(input)) as? \(Desired.self)")
  }
}

extension PredicateExpressions.ForceCast: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    throw converter.refusal(of: "the cast \(try converter.words(input)) as! \(Desired.self)")
  }
}

extension PredicateExpressions.StringContainsRegex: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    throw converter.refusal(of: "a regular expression in \(try converter.words(subject))")
  }
}
