import Foundation

/// Writes the canonical text of predicates.
enum PredicatePrinter {
  /// The text of a predicate; parsing it gives an equal one, unless Swift code is part of it.
  static func text(of predicate: NSPredicate) -> String {
    switch predicate.shape {
    case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): text(of: comparison)
    case .compound(let type, let parts): text(of: type, parts)
    case .block:
      "BLOCKPREDICATE(0x\(String(UInt(bitPattern: ObjectIdentifier(predicate).hashValue), radix: 16)))"
    case .custom: foundationFormat(of: predicate)
    }
  }

  private static func text(
    of type: NSCompoundPredicate.LogicalType, _ parts: [NSPredicate]
  ) -> String {
    switch type {
    case .not: parts.first.map { "NOT \(operand($0))" } ?? "NOT TRUEPREDICATE"
    case .and:
      parts.isEmpty ? "TRUEPREDICATE" : parts.map(operand).joined(separator: " AND ")
    case .or:
      parts.isEmpty ? "FALSEPREDICATE" : parts.map(operand).joined(separator: " OR ")
    }
  }

  /// A part of a compound: in parentheses where it is a compound itself.
  private static func operand(_ predicate: NSPredicate) -> String {
    if case .compound(_, let parts) = predicate.shape, !parts.isEmpty {
      return "(\(text(of: predicate)))"
    }
    return text(of: predicate)
  }

  private static func text(of comparison: NSComparisonPredicate) -> String {
    let modifier =
      switch comparison.comparisonPredicateModifier {
      case .direct: ""
      case .any: "ANY "
      case .all: "ALL "
      }
    let left = ExpressionPrinter.text(of: comparison.leftExpression)
    let right = ExpressionPrinter.text(of: comparison.rightExpression)
    let sign =
      comparison.customSelector?.description
      ?? comparison.predicateOperatorType.spelling + comparison.options.spelling
    return "\(modifier)\(left) \(sign) \(right)"
  }
}

extension NSComparisonPredicate.Operator {
  /// The operator as it prints.
  package var spelling: String {
    switch self {
    case .lessThan: "<"
    case .lessThanOrEqualTo: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqualTo: ">="
    case .equalTo: "=="
    case .notEqualTo: "!="
    case .matches: "MATCHES"
    case .like: "LIKE"
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .in: "IN"
    case .contains: "CONTAINS"
    case .between: "BETWEEN"
    case .customSelector: "selector"
    }
  }
}

extension NSComparisonPredicate.Options {
  /// The options as they print behind an operator: `"[cd]"`, empty for none.
  package var spelling: String {
    var letters = ""
    if contains(.caseInsensitive) { letters += "c" }
    if contains(.diacriticInsensitive) { letters += "d" }
    if contains(.normalized) { letters += "n" }
    if contains(.localeSensitive) { letters += "l" }
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}
