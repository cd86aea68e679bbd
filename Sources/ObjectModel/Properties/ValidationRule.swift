/// A validation rule for a property's value.
///
/// Models store rules as predicates. The kinds that the model editor offers are also stored structurally, so that
/// a value can be validated, and a violation described, without evaluating a predicate.
package struct ValidationRule: @unchecked Sendable {
  /// The required condition.
  package enum Condition {
    /// The value is not less than the bound.
    case minimum(Bound)
    /// The value is not greater than the bound.
    case maximum(Bound)
    /// The string has at least this number of UTF-16 units.
    case minimumLength(Int)
    /// The string has at most this number of UTF-16 units.
    case maximumLength(Int)
    /// The whole string matches the regular expression.
    case matches(String)
    /// A predicate as text, which is evaluated with the value as `SELF`.
    case format(String)
    /// A predicate, which is evaluated with the value as `SELF`.
    case predicate(NSPredicate)
  }

  /// The bound of a range of values.
  package enum Bound: Hashable, Sendable {
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A decimal number.
    case decimal(Decimal)
    /// A date.
    case date(Date)
  }

  /// The warning for a violation of the rule.
  package enum Warning: Hashable, Sendable {
    /// An error code of Core Data, such as 1620 for a number that is too small.
    case code(Int)
    /// A message for the user.
    case message(String)
  }

  /// The required condition.
  package var condition: Condition
  /// The warning for a violation of the condition.
  package var warning: Warning

  /// Creates a rule. Without a warning, it has Core Data's error code for the condition.
  package init(_ condition: Condition, warning: Warning? = nil) {
    self.condition = condition
    self.warning = warning ?? .code(condition.defaultCode)
  }
}

extension ValidationRule.Condition {
  /// Core Data's error code for a violation of the condition.
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
  /// The rule as the text of a predicate over `SELF`, in the format of Core Data's compiler.
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
  /// Whether the bound is not-a-number, which has no order with any value.
  var isNaN: Bool {
    switch self {
    case .integer: false
    case .real(let number): number.isNaN
    case .decimal(let number): number.isNaN
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
    }
  }

  var predicateText: String {
    switch self {
    case .integer(let number): "\(number)"
    case .real(let number): Self.predicateText(number)
    case .decimal(let number): number.isNaN ? Self.predicateText(.nan) : "\(number)"
    case .date(let date):
      "CAST(\(Self.predicateText(date.timeIntervalSinceReferenceDate)), \"NSDate\")"
    }
  }

  /// The predicate language has no literals for infinity and not-a-number.
  private static func predicateText(_ number: Double) -> String {
    number.isFinite ? "\(number)" : "CAST(\"\(number)\", \"NSNumber\")"
  }
}
