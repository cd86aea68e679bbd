extension NSPropertyDescription {
  /// The validation rules as predicates with the value as `SELF`, in the order of the model.
  ///
  /// A rule whose text is not a valid predicate is omitted. Only a damaged file can contain such a rule;
  /// ``setValidationPredicates(_:withValidationWarnings:)`` cannot create one.
  public final var validationPredicates: [NSPredicate] {
    validationRules.compactMap(\.validationPredicate)
  }

  /// The warnings for the predicates with the same indexes: a `String`, or an error code as an `NSNumber`.
  public final var validationWarnings: [Any] {
    validationRules.compactMap { rule in
      // Omit the same rules as `validationPredicates`, so that the indexes of both arrays
      // correspond.
      guard rule.validationPredicate != nil else { return nil }
      switch rule.warning {
      case .code(let code): return NSNumber(value: code)
      case .message(let text): return text
      }
    }
  }

  /// Replaces the validation rules.
  ///
  /// - Parameters:
  ///   - validationPredicates: Predicates that are evaluated with the value as `SELF`.
  ///   - validationWarnings: The messages for the predicates with the same indexes. A predicate without a
  ///     message reports the general error code 1550.
  ///
  /// ```swift
  /// let age = NSAttributeDescription()
  /// age.name = "age"
  /// age.type = .integer16
  /// age.setValidationPredicates(
  ///   [NSPredicate(format: "SELF >= 0")], withValidationWarnings: ["An age cannot be negative."])
  /// ```
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
  /// The rule as a predicate with the value as `SELF`; nil if its text is not a valid predicate.
  package var validationPredicate: NSPredicate? {
    switch condition {
    case .predicate(let predicate): predicate
    // The bound is an argument, because the text of a date or decimal would lose digits.
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
  /// The bound as a value for a predicate.
  package var value: Any {
    switch self {
    case .integer(let number): NSNumber(value: number)
    case .real(let number): NSNumber(value: number)
    case .decimal(let number): NSDecimalNumber(decimal: number)
    case .date(let date): date
    }
  }
}
