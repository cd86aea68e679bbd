extension ArchivedPredicate {
  /// Returns the text of an expression.
  func expression(_ value: PropertyListValue?, depth: Int = 0) throws -> String {
    guard depth <= Self.greatestHeight, budget.spend() else {
      throw Failure(reason: "an expression is nested too deeply or is too long.")
    }
    guard let instance = archive.instance(value) else {
      throw Failure(reason: "an expression is missing.")
    }
    let fields = instance.fields
    switch instance.className {
    case "NSSelfExpression": return "SELF"
    case "NSConstantValueExpression": return try constant(fields)
    case "NSVariableExpression": return "$\(archive.string(fields["NSVariable"]) ?? "")"
    case "NSKeyPathExpression": return try keyPath(fields, depth: depth)
    case "NSKeyPathSpecifierExpression": return archive.string(fields["NSKeyPath"]) ?? ""
    case "NSFunctionExpression": return try function(fields, depth: depth)
    case "NSAggregateExpression":
      let parts = try (archive.elements(fields["NSCollection"]) ?? []).map {
        try expression($0, depth: depth + 1)
      }
      return "{\(parts.joined(separator: ", "))}"
    case "NSSubqueryExpression": return try subquery(fields, depth: depth)
    case "NSTernaryExpression":
      let condition = try text(fields["NSPredicate"], depth: depth + 1)
      let yes = try expression(fields["NSTrueExpression"], depth: depth + 1)
      let no = try expression(fields["NSFalseExpression"], depth: depth + 1)
      return "TERNARY(\(condition), \(yes), \(no))"
    case "NSFetchRequestExpression":
      let request = try expression(fields["NSFRExpression"], depth: depth + 1)
      let context = try expression(fields["NSMOCExpression"], depth: depth + 1)
      let countsOnly = archive.bool(fields["NSCountOnlyFlag"]) ?? false
      return "FETCH(\(request), \(context), \(countsOnly ? "YES" : "NO"))"
    default: throw Failure(reason: "an expression has the unknown class \(instance.className).")
    }
  }

  private func keyPath(_ fields: [String: PropertyListValue], depth: Int) throws -> String {
    let parts = try (archive.elements(fields["NSArguments"]) ?? []).map {
      try expression($0, depth: depth + 1)
    }
    let path = parts.joined(separator: ".")
    let operand = try expression(fields["NSOperand"], depth: depth + 1)
    // Apple's Foundation parses `SELF.name` and `name` to the same expression, and prints the short form.
    return operand == "SELF" ? path : "\(operand).\(path)"
  }

  private func function(_ fields: [String: PropertyListValue], depth: Int) throws -> String {
    guard let name = archive.string(fields["NSSelectorName"]) else {
      throw Failure(reason: "a function has no name.")
    }
    let operand = archive.instance(fields["NSOperand"])
    // Apple's Foundation archives a predefined function as a message to this private class.
    let isBuiltIn =
      operand?.className == "NSConstantValueExpression"
      && archive.string(operand?.fields["NSConstantValueClassName"]) == "_NSPredicateUtilities"
    // The receiver comes first, because `constants` must have the order of the text.
    let receiver =
      try isBuiltIn || operand == nil ? nil : expression(fields["NSOperand"], depth: depth + 1)
    let arguments = try (archive.elements(fields["NSArguments"]) ?? []).map {
      try expression($0, depth: depth + 1)
    }
    let list = arguments.joined(separator: ", ")
    guard let receiver else { return "\(name)(\(list))" }
    let rest = arguments.isEmpty ? "" : ", \(list)"
    return "FUNCTION(\(receiver), \(ConstantPrinter.quoted(name))\(rest))"
  }

  private func subquery(_ fields: [String: PropertyListValue], depth: Int) throws -> String {
    let collection = try expression(fields["NSCollection"], depth: depth + 1)
    let predicate = try text(fields["NSPredicate"], depth: depth + 1)
    let variable =
      archive.string(fields["NSVariableExpression"])
      ?? (try? expression(fields["NSVariableExpression"], depth: depth + 1)) ?? "$x"
    let name = variable.hasPrefix("$") ? variable : "$\(variable)"
    return "SUBQUERY(\(collection), \(name), \(predicate))"
  }

  private func constant(_ fields: [String: PropertyListValue]) throws -> String {
    if let name = archive.string(fields["NSConstantValueClassName"]) { return name }
    guard archive.place(fields["NSConstantValue"]) != nil || fields["NSConstantValue"] != nil,
      let value = archive.swiftValue(fields["NSConstantValue"])
    else { return "nil" }
    // A literal would round a decimal or lose the type of the value.
    if let constants, Self.needsArgument(value) {
      constants.values.append(value)
      return "%@"
    }
    let text = try Self.literal(value)
    // A shared constant counts at each use, because each use repeats its text.
    guard budget.spend(text.utf8.count) else { throw Failure(reason: "a constant is too long.") }
    return text
  }

  /// Returns whether a value has no exact literal in the predicate language, whose numbers have 64 bits.
  private static func needsArgument(_ value: Any) -> Bool {
    switch value {
    case is String: false
    case is NSDecimalNumber: true
    case let number as NSNumber: !number.doubleValue.isFinite
    case let values as Set<AnyHashable>: values.contains { needsArgument($0.base) }
    case let values as [Any]: values.contains(where: needsArgument)
    default: true
    }
  }

  /// Returns a value as a literal of the predicate language.
  static func literal(_ value: Any) throws -> String {
    switch value {
    case let text as String: return ConstantPrinter.quoted(text)
    case let date as Date: return ValidationRule.Bound.date(date).predicateText
    case let number as NSNumber:
      if number.isTruthValue { return number.boolValue ? "YES" : "NO" }
      // The language has no literals for infinity and not-a-number.
      return number.doubleValue.isFinite
        ? number.stringValue : "CAST(\"\(number.doubleValue)\", \"NSNumber\")"
    case let values as Set<AnyHashable>:
      // Sorted, because a set's own order differs in each process.
      return "{\(try values.map { try literal($0.base) }.sorted().joined(separator: ", "))}"
    case let values as [Any]:
      return "{\(try values.map(literal).joined(separator: ", "))}"
    default:
      throw Failure(reason: "a constant of the type \(type(of: value)) cannot be written as text.")
    }
  }
}
