/// Requires that the validation rules of a property can be satisfied: no bound is not-a-number, the minimum does not
/// exceed the maximum, the maximum length is not negative, and patterns and predicates are valid.
enum ValueRangeRules: PropertyRule {
  static func inspect(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    var ends = Ends()
    for rule in property.validationRules {
      switch rule.condition {
      case .minimum(let bound): ends.minimum = bound
      case .maximum(let bound): ends.maximum = bound
      case .minimumLength(let length): ends.minimumLength = length
      case .maximumLength(let length): ends.maximumLength = length
      case .matches(let pattern):
        if let defect = defect(inPattern: pattern) {
          inspection.report(.invalidPattern, entity, property, defect)
        }
      case .format(let text):
        if let defect = ModelInspection.defect(inPredicate: text) {
          inspection.report(.unreadableText, entity, property, defect)
        }
      case .predicate(let predicate):
        if let pattern = predicate.pattern, let defect = defect(inPattern: pattern) {
          inspection.report(.invalidPattern, entity, property, defect)
        }
      }
    }
    if let defect = ends.defect { inspection.report(.impossibleRange, entity, property, defect) }
  }

  private static func defect(inPattern pattern: String) -> String? {
    do {
      // Use the same engine as validation, so that a pattern that passes this check also works
      // during validation.
      _ = try StringMatcher(.matches, options: [], pattern: pattern)
      return nil
    } catch {
      return "the pattern '\(pattern)' is not a valid regular expression"
    }
  }

  private struct Ends {
    var minimum: ValidationRule.Bound?
    var maximum: ValidationRule.Bound?
    var minimumLength: Int?
    var maximumLength: Int?

    var defect: String? {
      if minimum?.isNaN == true { return "the minimum value is not a number" }
      if maximum?.isNaN == true { return "the maximum value is not a number" }
      if let minimum, let maximum, minimum.isAbove(maximum) {
        return "the minimum value \(minimum.shown) is greater than the maximum, \(maximum.shown)"
      }
      if let minimumLength, let maximumLength, minimumLength > maximumLength {
        return "the minimum length \(minimumLength) is greater than the maximum, \(maximumLength)"
      }
      if let maximumLength, maximumLength < 0 {
        return "the maximum length \(maximumLength) is negative"
      }
      return nil
    }
  }
}

extension ValidationRule.Bound {
  fileprivate var shown: String {
    switch self {
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .date(let date): MessageText.description(of: date)
    }
  }

  fileprivate func isAbove(_ other: Self) -> Bool {
    switch (self, other) {
    case (.integer(let one), .integer(let other)): one > other
    case (.date(let one), .date(let other)): one > other
    // A date and a number have no order.
    case (.date, _), (_, .date): false
    case (.real(let one), .real(let other)): one > other
    default: ValueOrder.compare(Scalar(value), Scalar(other.value)) == .orderedDescending
    }
  }
}

extension NSPredicate {
  /// The constant pattern, if the predicate is a single MATCHES comparison.
  fileprivate var pattern: String? {
    guard let comparison = self as? NSComparisonPredicate,
      comparison.predicateOperatorType == .matches,
      comparison.rightExpression.expressionType == .constantValue
    else { return nil }
    return comparison.rightExpression.constantValue as? String
  }
}
