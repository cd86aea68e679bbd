// Swift expressions without a form in the predicate language: each throws an error that identifies it.

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
