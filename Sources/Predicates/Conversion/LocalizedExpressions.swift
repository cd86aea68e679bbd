// Functions that `#Predicate` supports on Apple's platforms and that Foundation lacks on other platforms. They are
// disfavored overloads, so that the compiler prefers a function of Foundation with the same name if there is one.

extension PredicateExpressions {
  /// Builds the expression for `text.localizedStandardContains(other)` in a `#Predicate`.
  @_disfavoredOverload
  public static func build_localizedStandardContains<Base, Other>(
    _ base: Base, _ other: Other
  ) -> LocalizedStandardContains<Base, Other> {
    LocalizedStandardContains(base: base, other: other)
  }

  /// Builds the expression for `text.caseInsensitiveCompare(other)` in a `#Predicate`.
  @_disfavoredOverload
  public static func build_caseInsensitiveCompare<Base, Other>(
    _ base: Base, _ other: Other
  ) -> CaseInsensitiveComparison<Base, Other> {
    CaseInsensitiveComparison(base: base, other: other)
  }

  /// Builds the expression for `text.localizedCompare(other)` in a `#Predicate`.
  @_disfavoredOverload
  public static func build_localizedCompare<Base, Other>(
    _ base: Base, _ other: Other
  ) -> LocalizedComparison<Base, Other> {
    LocalizedComparison(base: base, other: other)
  }

  /// Whether a string contains another, ignoring case and diacritics, in the user's locale.
  public struct LocalizedStandardContains<Base: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Base.Output == String, Other.Output == String {
    /// The string to search.
    public let base: Base
    /// The string to search for.
    public let other: Other

    /// Returns whether `base` contains `other`, with these values for the variables.
    ///
    /// - Throws: The errors of evaluating the two strings.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let other = try other.evaluate(bindings)
      return try StringMatcher(
        .contains, options: [.caseInsensitive, .diacriticInsensitive, .localeSensitive],
        pattern: other
      ).matches(try base.evaluate(bindings))
    }
  }

  /// The order of two strings, ignoring case.
  public struct CaseInsensitiveComparison<Base: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Base.Output == String, Other.Output == String {
    /// The left string.
    public let base: Base
    /// The right string.
    public let other: Other

    /// Returns the order, with these values for the variables.
    ///
    /// - Throws: The errors of evaluating the two strings.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      StringComparison.caseInsensitive.compare(
        try base.evaluate(bindings), try other.evaluate(bindings))
    }
  }

  /// The order of two strings in the user's locale.
  public struct LocalizedComparison<Base: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Base.Output == String, Other.Output == String {
    /// The left string.
    public let base: Base
    /// The right string.
    public let other: Other

    /// Returns the order, with these values for the variables.
    ///
    /// - Throws: The errors of evaluating the two strings.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      StringComparison.localized.compare(
        try base.evaluate(bindings), try other.evaluate(bindings))
    }
  }
}

extension PredicateExpressions.LocalizedStandardContains: StandardPredicateExpression
where Base: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.CaseInsensitiveComparison: StandardPredicateExpression
where Base: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.LocalizedComparison: StandardPredicateExpression
where Base: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.LocalizedStandardContains: Sendable
where Base: Sendable, Other: Sendable {}
extension PredicateExpressions.CaseInsensitiveComparison: Sendable
where Base: Sendable, Other: Sendable {}
extension PredicateExpressions.LocalizedComparison: Sendable
where Base: Sendable, Other: Sendable {}
extension PredicateExpressions.LocalizedStandardContains: Codable
where Base: Codable, Other: Codable {}
extension PredicateExpressions.CaseInsensitiveComparison: Codable
where Base: Codable, Other: Codable {}
extension PredicateExpressions.LocalizedComparison: Codable
where Base: Codable, Other: Codable {}

extension PredicateExpressions.LocalizedStandardContains: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .condition(
      .comparing(
        try converter.expression(base), .contains, try converter.expression(other),
        options: [.caseInsensitive, .diacriticInsensitive, .localeSensitive]))
  }
}

extension PredicateExpressions.CaseInsensitiveComparison: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .value(
      .order(
        try converter.expression(base), try converter.expression(other),
        options: .caseInsensitive))
  }
}

extension PredicateExpressions.LocalizedComparison: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .value(
      .order(
        try converter.expression(base), try converter.expression(other),
        options: .localeSensitive))
  }
}

extension NSExpression {
  /// Returns an expression for the raw value of a `ComparisonResult`: -1, 0 or 1.
  static func order(
    _ left: NSExpression, _ right: NSExpression, options: NSComparisonPredicate.Options
  ) -> NSExpression {
    func comparison(_ type: NSComparisonPredicate.Operator) -> NSPredicate {
      NSPredicate.comparing(left, type, right, options: options)
    }
    // As in Apple's Foundation, two nested conditionals: the language has no expression for an
    // order.
    let different = NSExpression(
      forConditional: comparison(.lessThan), trueExpression: NSExpression(forConstantValue: -1),
      falseExpression: NSExpression(forConstantValue: 1))
    return NSExpression(
      forConditional: comparison(.equalTo), trueExpression: NSExpression(forConstantValue: 0),
      falseExpression: different)
  }
}
