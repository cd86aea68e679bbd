/// One rule that a property's value must meet when its object is saved.
///
/// Models keep rules as predicates. The kinds that the model editor offers are kept structurally as
/// well, so that a value is checked, and a breach is named, without evaluating a predicate.
package struct ValidationRule: @unchecked Sendable {
  /// What is required of the value.
  package enum Condition {
    /// The value is not less than the bound.
    case minimum(Bound)
    /// The value is not greater than the bound.
    case maximum(Bound)
    /// The string has at least so many UTF-16 units.
    case minimumLength(Int)
    /// The string has at most so many UTF-16 units.
    case maximumLength(Int)
    /// The whole string matches the regular expression.
    case matches(String)
    /// A predicate given as text, evaluated with the value as `SELF`.
    case format(String)
    /// A predicate, evaluated with the value as `SELF`.
    case predicate(NSPredicate)
  }

  /// The end of a range of values.
  package enum Bound: Hashable, Sendable {
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A decimal number.
    case decimal(Decimal)
    /// A point in time.
    case date(Date)
  }

  /// What is reported when the rule is broken.
  package enum Warning: Hashable, Sendable {
    /// An error code of Core Data, such as 1620 for a number that is too small.
    case code(Int)
    /// A sentence for the user.
    case message(String)
  }

  /// What is required.
  package var condition: Condition
  /// What is reported when it is not met.
  package var warning: Warning

  /// A rule with its own warning, or with the code that Core Data has for the condition.
  package init(_ condition: Condition, warning: Warning? = nil) {
    self.condition = condition
    self.warning = warning ?? .code(condition.defaultCode)
  }
}

extension ValidationRule.Condition {
  /// The error code that Core Data reports for a breach of the condition.
  package var defaultCode: Int {
    switch self {
    case .maximum(.date): 1630
    case .minimum(.date): 1640
    case .maximum: 1610
    case .minimum: 1620
    case .maximumLength: 1660
    case .minimumLength: 1670
    case .matches: 1680
    case .format, .predicate: 1550
    }
  }
}

extension ValidationRule {
  /// The rule as the text of a predicate over `SELF`, as Core Data's compiler writes it.
  package var predicateFormat: String {
    switch condition {
    case .minimum(let bound): "SELF >= \(bound.predicateText)"
    case .maximum(let bound): "SELF <= \(bound.predicateText)"
    case .minimumLength(let length): "length >= \(length)"
    case .maximumLength(let length): "length <= \(length)"
    case .matches(let pattern): "SELF MATCHES \(ConstantPrinter.quoted(pattern))"
    case .format(let text): text
    case .predicate(let predicate): predicate.formatText
    }
  }
}

extension ValidationRule.Bound {
  var predicateText: String {
    switch self {
    case .integer(let number): "\(number)"
    case .real(let number): Self.predicateText(number)
    case .decimal(let number): number.isNaN ? Self.predicateText(.nan) : "\(number)"
    case .date(let date):
      "CAST(\(Self.predicateText(date.timeIntervalSinceReferenceDate)), \"NSDate\")"
    }
  }

  /// The language has no literal for infinity and not-a-number.
  private static func predicateText(_ number: Double) -> String {
    number.isFinite ? "\(number)" : "CAST(\"\(number)\", \"NSNumber\")"
  }
}
