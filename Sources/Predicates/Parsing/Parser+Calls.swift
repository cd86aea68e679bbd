extension Parser {
  /// Reads the arguments of a function after its name.
  mutating func call(_ name: String, at token: Token) throws(InvalidPredicateError) -> NSExpression
  {
    switch name.asciiUppercased {
    case "FUNCTION": return try message()
    case "TERNARY": return try conditional()
    default: break
    }
    advance()
    let arguments = try list(until: .closeParenthesis, "to end the arguments of \(name)")
    // Functions print with their colons, so `sqrt(9)` and `sqrt:(9)` must become equal expressions.
    let selector = PredefinedFunction(spelling: name)?.rawValue ?? name
    do {
      try PredefinedFunction.check(selector, argumentCount: arguments.count)
    } catch {
      throw self.error(error.message, at: token.range.lowerBound)
    }
    if selector == PredefinedFunction.cast.rawValue {
      return Parser.cast(arguments[0], to: arguments[1])
    }
    return NSExpression(node: .function(name: selector, operand: nil, arguments: arguments))
  }

  /// Reads the rest of `FUNCTION(receiver, "selector:", argument…)`.
  private mutating func message() throws(InvalidPredicateError) -> NSExpression {
    try expect(.openParenthesis, "after FUNCTION")
    let receiver = try expression(clause(minimum: .or))
    try expect(.comma, "and the name of a method after the receiver of FUNCTION")
    // As in Apple's parser, the selector must be a literal, not an expression.
    guard case .string(let selector) = current.kind else {
      throw unexpected("expected the name of a method in quotes")
    }
    advance()
    var arguments: [NSExpression] = []
    while accept(.comma) { arguments.append(try expression(clause(minimum: .or))) }
    try expect(.closeParenthesis, "to end FUNCTION")
    if selector == NSExpression.keyPathFunction, arguments.count == 1,
      case .keyPath = arguments[0].node
    {
      // FUNCTION evaluates its argument, and the result is the path to read. But the evaluator reads an argument that
      // is a key path directly from the receiver, so wrap it in `noindex:`, which returns its argument.
      try deepen()
      depth -= 1
      arguments[0] = .calling(.noIndex, arguments[0])
    }
    return NSExpression(
      node: .function(name: selector, operand: receiver, arguments: arguments))
  }

  /// Reads the rest of `TERNARY(condition, value, otherValue)`.
  private mutating func conditional() throws(InvalidPredicateError) -> NSExpression {
    try expect(.openParenthesis, "after TERNARY")
    // The same number of levels as in `ExpressionNode.nesting`.
    try deepen(by: 2)
    defer { depth -= 2 }
    let condition = try predicate(clause(minimum: .or))
    try expect(.comma, "after the condition of TERNARY")
    let first = try expression(clause(minimum: .or))
    try expect(.comma, "after the first value of TERNARY")
    let second = try expression(clause(minimum: .or))
    try expect(.closeParenthesis, "to end TERNARY")
    return NSExpression(node: .conditional(condition, true: first, false: second))
  }

  /// Reads `SUBQUERY(collection, $element, condition)`.
  mutating func subquery() throws(InvalidPredicateError) -> NSExpression {
    advance()
    try expect(.openParenthesis, "after SUBQUERY (write a key of that name as #subquery)")
    // The same number of levels as in `ExpressionNode.nesting`.
    try deepen(by: 4)
    defer { depth -= 4 }
    let collection = try expression(clause(minimum: .or))
    try expect(.comma, "after the collection of SUBQUERY")
    guard case .variable(let name) = current.kind else {
      throw unexpected("expected the variable of SUBQUERY, such as $x")
    }
    advance()
    try expect(.comma, "after the variable of SUBQUERY")
    let condition = try predicate(clause(minimum: .or))
    try expect(.closeParenthesis, "to end SUBQUERY")
    return NSExpression(
      node: .subquery(collection: collection, variable: name, predicate: condition))
  }

  /// Reads `FETCH(request, context, countOnly)`, which mapping models use.
  mutating func fetch() throws(InvalidPredicateError) -> NSExpression {
    let start = current
    guard allowsFetches else {
      throw unexpected(
        "expected a value (a predicate cannot run a fetch request: fetch first and pass the results; write a key of that name as #\(spelling(of: current)))"
      )
    }
    advance()
    try expect(.openParenthesis, "after FETCH (write a key of that name as #fetch)")
    try deepen()
    defer { depth -= 1 }
    let request = try expression(clause(minimum: .or))
    try expect(.comma, "and the context after the request of FETCH")
    let context = try expression(clause(minimum: .or))
    try expect(.comma, "and YES or NO after the context of FETCH")
    guard case .constant(let flag) = try expression(clause(minimum: .or)).node,
      let countsOnly = Self.truth(flag)
    else {
      throw error("the last argument of FETCH must be YES or NO", at: start.range.lowerBound)
    }
    try expect(.closeParenthesis, "to end FETCH")
    return NSFetchRequestExpression(request, context, countOnly: countsOnly)
  }

  private static func truth(_ value: Any?) -> Bool? {
    if let truth = value as? Bool { return truth }
    if case .integer(let number) = Scalar(value) { return number != 0 }
    return nil
  }

  /// Reads `CAST(value, "Type")`.
  mutating func cast() throws(InvalidPredicateError) -> NSExpression {
    advance()
    try expect(.openParenthesis, "after CAST (write a key of that name as #cast)")
    let value = try expression(clause(minimum: .or))
    try expect(.comma, "after the value of CAST")
    let type = try expression(clause(minimum: .or))
    try expect(.closeParenthesis, "to end CAST")
    return Parser.cast(value, to: type)
  }

  /// Creates a cast. The cast of a constant becomes a constant, because a constant date prints as such a cast.
  private static func cast(_ value: NSExpression, to type: NSExpression) -> NSExpression {
    if case .constant(let constant?) = value.node, case .constant(let name as String) = type.node,
      let converted = ValueCast.constant(constant, to: name)
    {
      return NSExpression(node: .constant(converted))
    }
    return .calling(.cast, value, type)
  }
}
