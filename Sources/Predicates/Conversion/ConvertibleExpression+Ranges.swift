extension PredicateExpressions.RangeExpressionContains: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    let element = try converter.expression(self.element)
    if let range = range as? any ConvertibleRange {
      return .condition(try range.contains(element, &converter))
    }
    // A range that depends on no variable can be evaluated now.
    if let value = try? range.evaluate(PredicateBindings()),
      let range = value as? any ContainingRange, let condition = range.contains(element)
    {
      return .condition(condition)
    }
    throw converter.refusal(of: "a range of type \(RangeExpression.Output.self)")
  }
}

extension PredicateExpressions.Range: ConvertibleRange {
  func contains(
    _ element: NSExpression, _ converter: inout PredicateConverter
  ) throws -> NSPredicate {
    .between(element, try converter.expression(lower), below: try converter.expression(upper))
  }
}

extension PredicateExpressions.ClosedRange: ConvertibleRange {
  func contains(
    _ element: NSExpression, _ converter: inout PredicateConverter
  ) throws -> NSPredicate {
    let bounds = [try converter.expression(lower), try converter.expression(upper)]
    return NSPredicate.comparing(
      element, .between, NSExpression(forAggregate: bounds))
  }
}

/// A range that is written inside the predicate. Its bounds may depend on variables.
private protocol ConvertibleRange {
  func contains(
    _ element: NSExpression, _ converter: inout PredicateConverter
  ) throws -> NSPredicate
}

/// A range that is a constant value. The result is nil if predicates do not support the type of the bounds.
private protocol ContainingRange {
  func contains(_ element: NSExpression) -> NSPredicate?
}

extension NSPredicate {
  static func between(
    _ element: NSExpression, _ lower: NSExpression, below upper: NSExpression
  ) -> NSPredicate {
    NSCompoundPredicate(
      andPredicateWithSubpredicates: [
        NSPredicate.comparing(element, .greaterThanOrEqualTo, lower),
        // BETWEEN would include the upper bound.
        NSPredicate.comparing(element, .lessThan, upper),
      ])
  }

  /// Returns a comparison with a constant; nil if predicates do not support the constant's type.
  static func comparing(
    _ element: NSExpression, _ type: NSComparisonPredicate.Operator, constant bound: Any
  ) -> NSPredicate? {
    ConvertedConstant.expression(bound).map {
      NSPredicate.comparing(element, type, $0)
    }
  }
}

extension Range: ContainingRange {
  func contains(_ element: NSExpression) -> NSPredicate? {
    guard let lower = ConvertedConstant.expression(lowerBound),
      let upper = ConvertedConstant.expression(upperBound)
    else { return nil }
    return .between(element, lower, below: upper)
  }
}

extension ClosedRange: ContainingRange {
  func contains(_ element: NSExpression) -> NSPredicate? {
    ConvertedConstant.expression(self).map {
      NSPredicate.comparing(element, .between, $0)
    }
  }
}

extension PartialRangeFrom: ContainingRange {
  func contains(_ element: NSExpression) -> NSPredicate? {
    .comparing(element, .greaterThanOrEqualTo, constant: lowerBound)
  }
}

extension PartialRangeThrough: ContainingRange {
  func contains(_ element: NSExpression) -> NSPredicate? {
    .comparing(element, .lessThanOrEqualTo, constant: upperBound)
  }
}

extension PartialRangeUpTo: ContainingRange {
  func contains(_ element: NSExpression) -> NSPredicate? {
    .comparing(element, .lessThan, constant: upperBound)
  }
}
