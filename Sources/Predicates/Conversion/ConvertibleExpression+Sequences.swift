extension PredicateExpressions.Filter: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .value(try converter.subquery(of: sequence, variable, where: filter))
  }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    let found = try converter.subquery(of: sequence, variable, where: test)
    return .condition(
      .comparing(
        // The condition is not `> 0`, because Apple's Foundation produces `!= 0`.
        found.appending(keyPath: "@count"), .notEqualTo, NSExpression(forConstantValue: 0)))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    // ALL applies to a single comparison, so this counts the elements that do not meet the
    // condition.
    let failing = try converter.subquery(of: sequence, variable, where: test, isNegated: true)
    return .condition(
      .comparing(
        failing.appending(keyPath: "@count"), .equalTo, NSExpression(forConstantValue: 0)))
  }
}

extension PredicateExpressions.SequenceContains: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    let sequence = try converter.expression(self.sequence)
    return .condition(.comparing(try converter.expression(element), .in, sequence))
  }
}

extension PredicateExpressions.SequenceMaximum: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    // Append `self`, because an operator must be followed by a key.
    .value(try converter.expression(elements).appending(keyPath: "@max.self"))
  }
}

extension PredicateExpressions.SequenceMinimum: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .value(try converter.expression(elements).appending(keyPath: "@min.self"))
  }
}

extension PredicateExpressions.CollectionContainsCollection: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    guard Base.Output.self is any StringProtocol.Type else {
      throw converter.refusal(
        of:
          "contains with a sequence of \(Base.Output.Element.self) in \(try converter.words(base))")
    }
    return .condition(
      .comparing(try converter.expression(base), .contains, try converter.expression(other)))
  }
}

extension PredicateExpressions.SequenceStartsWith: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    guard Base.Output.self is any StringProtocol.Type else {
      throw converter.refusal(
        of: "starts(with:) with a sequence of \(Base.Output.Element.self) in"
          + " \(try converter.words(base))")
    }
    return .condition(
      .comparing(try converter.expression(base), .beginsWith, try converter.expression(prefix)))
  }
}
