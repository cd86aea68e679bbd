/// The result of converting a part of Swift's `#Predicate`: a value or a condition. Swift uses `Bool`
/// for both; the predicate language distinguishes them.
enum ConvertedExpression {
  case value(NSExpression)
  case condition(NSPredicate)

  /// The part as a value: a condition becomes a conditional expression with the values YES and NO.
  var expression: NSExpression {
    switch self {
    case .value(let expression): expression
    case .condition(let predicate):
      NSExpression(
        forConditional: predicate, trueExpression: NSExpression(forConstantValue: true),
        falseExpression: NSExpression(forConstantValue: false))
    }
  }

  /// The part as a condition: a value of type `Bool` becomes a comparison with YES.
  var predicate: NSPredicate {
    switch self {
    case .value(let expression):
      NSComparisonPredicate(
        leftExpression: expression, rightExpression: NSExpression(forConstantValue: true),
        modifier: .direct, type: .equalTo)
    case .condition(let predicate): predicate
    }
  }
}

/// A part of Swift's `#Predicate` that has a form in the predicate language.
///
/// A part without this conformance is allowed only if it depends on no variable.
protocol ConvertibleExpression: PredicateExpression {
  /// Returns the form of this part in the predicate language.
  ///
  /// - Throws: An ``InvalidPredicateError`` that identifies the part without a form.
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression
}
