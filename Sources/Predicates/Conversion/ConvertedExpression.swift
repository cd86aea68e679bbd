/// What a part of Swift's `#Predicate` becomes: a value or a condition. Swift has one type, `Bool`,
/// for what the predicate language keeps apart.
enum ConvertedExpression {
  case value(NSExpression)
  case condition(NSPredicate)

  /// The part as a value: a condition chooses between YES and NO.
  var expression: NSExpression {
    switch self {
    case .value(let expression): expression
    case .condition(let predicate):
      NSExpression(
        forConditional: predicate, trueExpression: NSExpression(forConstantValue: true),
        falseExpression: NSExpression(forConstantValue: false))
    }
  }

  /// The part as a condition: a value of type `Bool` is compared with YES.
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

/// A part of Swift's `#Predicate` that the predicate language can say.
///
/// Parts without a conformance can only be used where they do not depend on a variable.
protocol ConvertibleExpression: PredicateExpression {
  /// The same in the predicate language.
  ///
  /// - Throws: an ``InvalidPredicateError`` that names the part that cannot be said.
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression
}
