extension NSPropertyDescription {
  /// The rules for the property's values as predicates over the value, in the order of the model.
  ///
  /// A rule whose text is no predicate is left out; ``setValidationPredicates(_:withValidationWarnings:)``
  /// cannot make such a rule, a damaged file can.
  public final var validationPredicates: [NSPredicate] {
    validationRules.compactMap(\.validationPredicate)
  }

  /// What is reported when the predicate at the same place is not met: a `String`, or an error code
  /// as an `NSNumber`.
  public final var validationWarnings: [Any] {
    validationRules.compactMap { rule in
      guard rule.validationPredicate != nil else { return nil }
      switch rule.warning {
      case .code(let code): return NSNumber(value: code)
      case .message(let text): return text
      }
    }
  }

  /// Replaces the rules for the property's values.
  ///
  /// - Parameters:
  ///   - validationPredicates: Predicates that are evaluated with the value as `SELF`.
  ///   - validationWarnings: What is reported when the predicate at the same place is not met. A
  ///     predicate without one reports the general code 1550.
  public final func setValidationPredicates(
    _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
  ) {
    let warnings = validationWarnings ?? []
    validationRules = (validationPredicates ?? []).enumerated().map { place, predicate in
      ValidationRule(
        .predicate(predicate),
        warning: warnings.indices.contains(place) ? .message(warnings[place]) : nil)
    }
  }
}

extension ValidationRule {
  /// The rule as a predicate over the value; nil where its text is no predicate.
  package var validationPredicate: NSPredicate? {
    switch condition {
    case .predicate(let predicate): predicate
    // A date or decimal bound goes in as a value: its text would lose digits.
    case .minimum(let bound):
      try? NSPredicate(validating: "SELF >= %@", arguments: [bound.value])
    case .maximum(let bound):
      try? NSPredicate(validating: "SELF <= %@", arguments: [bound.value])
    case .minimumLength, .maximumLength, .matches, .format:
      try? NSPredicate(validating: predicateFormat)
    }
  }
}

extension ValidationRule.Bound {
  /// The bound as a value that a predicate compares with.
  package var value: Any {
    switch self {
    case .integer(let number): NSNumber(value: number)
    case .real(let number): NSNumber(value: number)
    case .decimal(let number): NSDecimalNumber(decimal: number)
    case .date(let date): date
    }
  }
}
