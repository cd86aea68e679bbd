/// Creates expressions from Apple's keyed archives.
struct ArchivedExpression {
  let archive: KeyedArchive

  /// The maximum nesting depth, greater than that of any hand-written expression.
  private static let deepestNesting = 100

  /// Returns the expression in a data value, which contains a separate archive; nil if the archive's root is no object.
  static func read(_ data: Data) throws -> Predicates.NSExpression? {
    let archive = try KeyedArchive(data: data)
    return try ArchivedExpression(archive: archive).expression(.uid(archive.root))
  }

  /// Returns the expression that a value in the archive refers to; nil if the value does not refer to an object.
  func expression(
    _ value: PropertyListValue?, depth: Int = 0
  ) throws -> Predicates.NSExpression? {
    guard depth < Self.deepestNesting else {
      throw MappingFailure(reason: "an expression is nested too deeply")
    }
    guard let instance = archive.instance(value) else { return nil }
    let fields = instance.fields
    switch instance.className {
    case "NSSelfExpression": return .expressionForEvaluatedObject()
    case "NSConstantValueExpression":
      // A constant with a class name occurs only as the receiver of a function, which `function` handles.
      return NSExpression(forConstantValue: archive.swiftValue(fields["NSConstantValue"]))
    case "NSVariableExpression":
      guard let name = archive.string(fields["NSVariable"]) else {
        throw MappingFailure(reason: "a variable has no name")
      }
      return NSExpression(forVariable: name)
    case "NSKeyPathSpecifierExpression":
      return NSExpression(forKeyPath: archive.string(fields["NSKeyPath"]) ?? "")
    case "NSKeyPathExpression": return try keyPath(fields, depth)
    case "NSFunctionExpression": return try function(fields, depth)
    case "NSFetchRequestExpression":
      return NSFetchRequestExpression.expression(
        forFetch: try required(fields["NSFRExpression"], depth),
        context: try required(fields["NSMOCExpression"], depth),
        countOnly: archive.bool(fields["NSCountOnlyFlag"]) ?? false)
    case "NSAggregateExpression":
      return NSExpression(
        forAggregate: try (archive.elements(fields["NSCollection"]) ?? []).map {
          try required($0, depth)
        })
    default:
      // Creates the remaining kinds by parsing their text. This would not work for all of the kinds above: not
      // every constant has a literal.
      return try archive.parsedExpression(value)
    }
  }

  private func required(
    _ value: PropertyListValue?, _ depth: Int
  ) throws -> Predicates.NSExpression {
    guard let expression = try expression(value, depth: depth + 1) else {
      throw MappingFailure(reason: "a part of an expression is missing")
    }
    return expression
  }

  private func arguments(
    _ fields: [String: PropertyListValue], _ depth: Int
  ) throws -> [Predicates.NSExpression] {
    try (archive.elements(fields["NSArguments"]) ?? []).map { try required($0, depth) }
  }

  private func keyPath(
    _ fields: [String: PropertyListValue], _ depth: Int
  ) throws -> Predicates.NSExpression {
    let names = (archive.elements(fields["NSArguments"]) ?? []).map { argument -> String? in
      archive.string(archive.instance(argument)?.fields["NSKeyPath"])
    }
    guard !names.isEmpty, names.allSatisfy({ $0 != nil }) else {
      throw MappingFailure(reason: "a key path has no keys")
    }
    let path = names.compactMap(\.self).joined(separator: ".")
    return try required(fields["NSOperand"], depth).appending(keyPath: path)
  }

  private func function(
    _ fields: [String: PropertyListValue], _ depth: Int
  ) throws -> Predicates.NSExpression {
    guard let name = archive.string(fields["NSSelectorName"]) else {
      throw MappingFailure(reason: "a function has no name")
    }
    let arguments = try arguments(fields, depth)
    let operand = archive.instance(fields["NSOperand"])
    let isBuiltIn =
      operand == nil
      || operand?.className == "NSConstantValueExpression"
        && archive.string(operand?.fields["NSConstantValueClassName"]) == "_NSPredicateUtilities"
    if isBuiltIn {
      // `NSExpression(forFunction:arguments:)` would stop the program if the call is invalid, and parsing the text of
      // the call would change arguments without an exact literal.
      let selector = PredefinedFunction(spelling: name)?.rawValue ?? name
      try PredefinedFunction.check(selector, argumentCount: arguments.count)
      return NSExpression(node: .function(name: selector, operand: nil, arguments: arguments))
    }
    return NSExpression(
      forFunction: try required(fields["NSOperand"], depth), selectorName: name,
      arguments: arguments)
  }
}
