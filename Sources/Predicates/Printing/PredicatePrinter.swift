/// Prints predicates in their canonical form.
enum PredicatePrinter {
  /// Returns the text of a predicate. It parses to an equal predicate, with the exceptions of `ExpressionPrinter`.
  static func text(of predicate: NSPredicate) -> String {
    LargeStack.run(height: predicate.height) {
      var text = ""
      write(predicate, to: &text)
      return text
    }
  }

  static func write(_ predicate: NSPredicate, to text: inout String) {
    switch predicate.shape {
    case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): write(comparison, to: &text)
    case .compound(let type, let parts): write(type, parts, to: &text)
    case .block:
      let address = UInt(bitPattern: ObjectIdentifier(predicate).hashValue)
      text += "BLOCKPREDICATE(0x\(String(address, radix: 16)))"
    // A program's subclass may override `predicateFormat`.
    case .custom: text += foundationFormat(of: predicate)
    }
  }

  private static func write(
    _ type: NSCompoundPredicate.LogicalType, _ parts: [NSPredicate], to text: inout String
  ) {
    switch type {
    case .not:
      text += "NOT "
      if let part = parts.first { writeOperand(part, to: &text) } else { text += "TRUEPREDICATE" }
    case .and, .or:
      let isAnd = type == .and
      if parts.count == 1 { return write(parts[0], to: &text) }
      if parts.isEmpty { text += isAnd ? "TRUEPREDICATE" : "FALSEPREDICATE" }
      for (index, part) in parts.enumerated() {
        if index > 0 { text += isAnd ? " AND " : " OR " }
        writeOperand(part, to: &text)
      }
    }
  }

  /// Writes a part of a compound, in parentheses if it is a compound itself.
  private static func writeOperand(_ predicate: NSPredicate, to text: inout String) {
    // As in Apple's Foundation, a comparison in a compound never gets parentheses.
    if case .compound(_, let parts) = predicate.shape, !parts.isEmpty {
      text += "("
      write(predicate, to: &text)
      text += ")"
    } else {
      write(predicate, to: &text)
    }
  }

  private static func write(_ comparison: NSComparisonPredicate, to text: inout String) {
    switch comparison.comparisonPredicateModifier {
    case .direct: break
    case .any: text += "ANY "
    case .all: text += "ALL "
    }
    ExpressionPrinter.write(comparison.leftExpression, to: &text)
    let sign =
      comparison.customSelector.map { KeyPathPrinter.text(ofSelector: $0.description) }
      ?? comparison.predicateOperatorType.spelling + comparison.options.spelling
    text += " \(sign) "
    ExpressionPrinter.write(comparison.rightExpression, to: &text)
  }
}

extension NSComparisonPredicate.Operator {
  /// The operator as printed.
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
  /// The options as printed after an operator: `"[cd]"`, or an empty string.
  package var spelling: String {
    var letters = ""
    if contains(.caseInsensitive) { letters += "c" }
    if contains(.diacriticInsensitive) { letters += "d" }
    if contains(.normalized) { letters += "n" }
    if contains(.localeSensitive) { letters += "l" }
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}
