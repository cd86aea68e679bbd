/// The rules for a property's values can be met: least and greatest leave something between them,
/// patterns and predicates can be read.
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
        if let fault = fault(inPattern: pattern) {
          inspection.report(.invalidPattern, entity, property, fault)
        }
      case .format(let text):
        if let fault = ModelInspection.fault(inPredicate: text) {
          inspection.report(.unreadableText, entity, property, fault)
        }
      case .predicate(let predicate):
        if let pattern = predicate.pattern, let fault = fault(inPattern: pattern) {
          inspection.report(.invalidPattern, entity, property, fault)
        }
      }
    }
    if let fault = ends.fault { inspection.report(.impossibleRange, entity, property, fault) }
  }

  private static func fault(inPattern pattern: String) -> String? {
    do {
      _ = try StringMatcher(.matches, options: [], pattern: pattern)
      return nil
    } catch {
      return "the pattern '\(pattern)' is no regular expression"
    }
  }

  private struct Ends {
    var minimum: ValidationRule.Bound?
    var maximum: ValidationRule.Bound?
    var minimumLength: Int?
    var maximumLength: Int?

    var fault: String? {
      if let minimum, let maximum, minimum.isAbove(maximum) {
        return "the least value \(minimum.shown) is above the greatest, \(maximum.shown)"
      }
      if let minimumLength, let maximumLength, minimumLength > maximumLength {
        return "the least length \(minimumLength) is above the greatest, \(maximumLength)"
      }
      if let maximumLength, maximumLength < 0 {
        return "the greatest length \(maximumLength) is negative"
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
    case (.date, _), (_, .date): false
    case (.real(let one), .real(let other)): one > other
    default: ValueOrder.compare(Scalar(value), Scalar(other.value)) == .orderedDescending
    }
  }
}

extension NSPredicate {
  /// The constant pattern of a predicate that is a MATCHES and nothing else.
  fileprivate var pattern: String? {
    guard let comparison = self as? NSComparisonPredicate,
      comparison.predicateOperatorType == .matches,
      comparison.rightExpression.expressionType == .constantValue
    else { return nil }
    return comparison.rightExpression.constantValue as? String
  }
}
