extension PredicateArchiver {
  /// Archives an expression.
  func expression(_ expression: NSExpression) throws -> PropertyListValue {
    switch expression.node {
    case .constant(let value): return try constant(value)
    case .evaluatedObject: return builder.selfExpression
    case .variable(let name):
      return builder.add(
        .variableExpression, ["NSExpressionType": .integer(2), "NSVariable": builder.add(name)])
    case .keyPath(let path): return keyPath(path)
    case .function(let name, nil, let arguments):
      let inner = try deeper()
      return function(name, try arguments.map { try inner.expression($0) })
    case .function(let name, let operand?, let arguments):
      return try message(name, to: operand, arguments, of: expression)
    case .aggregate(let parts):
      let inner = try deeper()
      return builder.add(
        .aggregateExpression,
        [
          "NSExpressionType": .integer(14),
          "NSCollection": builder.array(try parts.map { try inner.expression($0) }),
        ])
    case .subquery(let collection, let variable, let predicate):
      let inner = try deeper()
      return builder.add(
        .subqueryExpression,
        [
          "NSExpressionType": .integer(13), "NSCollection": try inner.expression(collection),
          "NSVariableExpression": try inner.expression(NSExpression(node: .variable(variable))),
          "NSPredicate": try inner.predicate(predicate),
        ])
    case .conditional(let condition, let yes, let no):
      let inner = try deeper()
      return builder.add(
        .ternaryExpression,
        [
          "NSExpressionType": .integer(20), "NSPredicate": try inner.predicate(condition),
          "NSTrueExpression": try inner.expression(yes),
          "NSFalseExpression": try inner.expression(no),
        ])
    case .set, .anyKey, .block, .custom:
      // A fetch expression is a subclass with parts of its own, so its node is `custom` too.
      if let fetch = expression as? NSFetchRequestExpression { return try self.fetch(fetch) }
      throw ArchivedPredicate.Failure(
        reason: "the expression '\(expression.description)' cannot be stored in a file.")
    }
  }

  private func fetch(_ fetch: NSFetchRequestExpression) throws -> PropertyListValue {
    var request: PropertyListValue?
    let inner = try deeper()
    // Apple's compiler creates this expression without the parser, so its arguments are in an immutable array.
    if case .function(let name, let operand?, let arguments) = fetch.requestExpression.node {
      request = try inner.message(
        name, to: operand, arguments, of: fetch.requestExpression, isParsed: false)
    }
    return builder.add(
      .fetchExpression,
      [
        "NSExpressionType": .integer(50),
        "NSFRExpression": try request ?? inner.expression(fetch.requestExpression),
        "NSMOCExpression": try inner.expression(fetch.contextExpression),
        "NSCountOnlyFlag": .bool(fetch.isCountOnlyRequest),
      ])
  }

  /// Archives a key path from the evaluated object.
  func keyPath(_ path: String) -> PropertyListValue {
    keyPath(path, from: builder.selfExpression, type: 3)
  }

  private func keyPath(
    _ path: String, from operand: PropertyListValue, type: Int64
  ) -> PropertyListValue {
    let specifier = builder.add(
      .keyPathSpecifier, ["NSExpressionType": .integer(10), "NSKeyPath": builder.add(path)])
    let isSimple = type == 3 && !path.contains(".")
    return builder.add(
      .keyPathExpression,
      [
        "NSExpressionType": .integer(type), "NSOperand": operand,
        "NSSelectorName": builder.add(isSimple ? "valueForKey:" : "valueForKeyPath:"),
        "NSArguments": builder.array([specifier], .mutableArray),
      ])
  }

  /// Archives a call to a predefined function.
  ///
  /// As in Apple's archives, the arguments of a parsed call are in a mutable array, and those of an operator at the end
  /// of a key path in an immutable one.
  func function(
    _ name: String, _ arguments: [PropertyListValue], isOperator: Bool = false
  ) -> PropertyListValue {
    builder.add(
      .functionExpression,
      [
        "NSExpressionType": .integer(4), "NSSelectorName": builder.add(name),
        "NSOperand": builder.add(
          .constantExpression,
          [
            "NSExpressionType": .integer(0),
            "NSConstantValueClassName": builder.add("_NSPredicateUtilities"),
          ]),
        "NSArguments": builder.array(arguments, isOperator ? .array : .mutableArray),
      ])
  }

  private func message(
    _ name: String, to operand: NSExpression, _ arguments: [NSExpression],
    of expression: NSExpression, isParsed: Bool = true
  ) throws -> PropertyListValue {
    let inner = try deeper()
    if let (start, path) = expression.operandKeyPath {
      return keyPath(path, from: try inner.expression(start), type: 4)
    }
    return builder.add(
      .functionExpression,
      [
        "NSExpressionType": .integer(4), "NSSelectorName": builder.add(name),
        "NSOperand": try inner.expression(operand),
        "NSArguments": builder.array(
          try arguments.map { try inner.expression($0) }, isParsed ? .mutableArray : .array),
      ])
  }

  private func constant(_ value: Any?) throws -> PropertyListValue {
    guard let value, !(value is NSNull) else {
      return builder.add(
        .constantExpression,
        ["NSExpressionType": .integer(0), "NSConstantValueClassName": KeyedArchiveBuilder.null])
    }
    return builder.add(
      .constantExpression,
      [
        "NSExpressionType": .integer(0),
        "NSConstantValue": try writer.archived(value, of: entity, property: property),
      ])
  }
}
