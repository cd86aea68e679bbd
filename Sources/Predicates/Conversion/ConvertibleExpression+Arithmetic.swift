extension PredicateExpressions.Arithmetic: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    let function: PredefinedFunction =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw converter.refusal(of: "the operation \(op)")
      }
    return .value(
      .calling(function, try converter.expression(lhs), try converter.expression(rhs)))
  }
}

extension PredicateExpressions.FloatDivision: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .value(.calling(.divide, try converter.expression(lhs), try converter.expression(rhs)))
  }
}

extension PredicateExpressions.UnaryMinus: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .value(
      .calling(
        // Apple's Foundation also converts the minus sign to this product.
        .multiply, try converter.expression(wrapped), NSExpression(forConstantValue: -1)))
  }
}

// Integer division and remainder cannot be converted: division in the predicate language returns fractions, while
// Swift's integer division truncates.

extension PredicateExpressions.IntDivision: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    throw converter.refusal(
      of: "the integer division \(try converter.words(lhs)) / \(try converter.words(rhs))")
  }
}

extension PredicateExpressions.IntRemainder: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    throw converter.refusal(
      of: "the integer remainder \(try converter.words(lhs)) % \(try converter.words(rhs))")
  }
}
