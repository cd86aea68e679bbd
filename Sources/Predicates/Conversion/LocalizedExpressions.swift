// Functions that `#Predicate` knows on Apple's platforms and whose forms Foundation lacks
// elsewhere. Where Foundation has them, its own are preferred.

extension PredicateExpressions {
  /// What `#Predicate` makes of `text.localizedStandardContains(other)`.
  @_disfavoredOverload
  public static func build_localizedStandardContains<Base, Other>(
    _ base: Base, _ other: Other
  ) -> LocalizedStandardContains<Base, Other> {
    LocalizedStandardContains(base: base, other: other)
  }

  /// What `#Predicate` makes of `text.caseInsensitiveCompare(other)`.
  @_disfavoredOverload
  public static func build_caseInsensitiveCompare<Base, Other>(
    _ base: Base, _ other: Other
  ) -> CaseInsensitiveComparison<Base, Other> {
    CaseInsensitiveComparison(base: base, other: other)
  }

  /// What `#Predicate` makes of `text.localizedCompare(other)`.
  @_disfavoredOverload
  public static func build_localizedCompare<Base, Other>(
    _ base: Base, _ other: Other
  ) -> LocalizedComparison<Base, Other> {
    LocalizedComparison(base: base, other: other)
  }

  /// Whether a text contains another, without regard to case and accents, by the user's locale.
  public struct LocalizedStandardContains<Base: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Base.Output == String, Other.Output == String {
    /// The text that is searched.
    public let base: Base
    /// The text that is looked for.
    public let other: Other

    /// Whether it is found, with values for the variables.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let other = try other.evaluate(bindings)
      return try StringMatcher(
        .contains, options: [.caseInsensitive, .diacriticInsensitive, .localeSensitive],
        pattern: other
      ).matches(try base.evaluate(bindings))
    }
  }

  /// The order of two texts without regard to case.
  public struct CaseInsensitiveComparison<Base: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Base.Output == String, Other.Output == String {
    /// The left text.
    public let base: Base
    /// The right text.
    public let other: Other

    /// The order, with values for the variables.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      StringComparison.caseInsensitive.compare(
        try base.evaluate(bindings), try other.evaluate(bindings))
    }
  }

  /// The order of two texts by the user's locale.
  public struct LocalizedComparison<Base: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Base.Output == String, Other.Output == String {
    /// The left text.
    public let base: Base
    /// The right text.
    public let other: Other

    /// The order, with values for the variables.
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
  /// The raw value of a `ComparisonResult`: 0, -1 or 1.
  static func order(
    _ left: NSExpression, _ right: NSExpression, options: NSComparisonPredicate.Options
  ) -> NSExpression {
    func comparison(_ type: NSComparisonPredicate.Operator) -> NSPredicate {
      NSPredicate.comparing(left, type, right, options: options)
    }
    let different = NSExpression(
      forConditional: comparison(.lessThan), trueExpression: NSExpression(forConstantValue: -1),
      falseExpression: NSExpression(forConstantValue: 1))
    return NSExpression(
      forConditional: comparison(.equalTo), trueExpression: NSExpression(forConstantValue: 0),
      falseExpression: different)
  }
}
