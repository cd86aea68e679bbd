extension Parser {
  /// Reads an operand with its keys and indexes.
  mutating func operand() throws(InvalidPredicateError) -> Clause {
    let levels: Int
    switch current.kind {
    // Parentheses and NOT do not make the evaluation of expressions deeper.
    case .sign(.openParenthesis), .sign(.not), .reserved(.not): levels = 0
    default: levels = 1
    }
    try deepen(by: levels)
    defer { depth -= levels }
    return try nested { parser throws(InvalidPredicateError) in
      let start = parser.current.range.lowerBound
      switch parser.current.kind {
      case .sign(.not), .reserved(.not):
        parser.advance()
        let inner = try parser.clause(minimum: .not)
        return Clause(
          content: .predicate(
            try parser.checked(
              NSCompoundPredicate(notPredicateWithSubpredicate: try parser.predicate(inner)))),
          start: start)
      case .reserved(.any), .reserved(.some): return try parser.quantified(.any)
      case .reserved(.all): return try parser.quantified(.all)
      case .reserved(.none): return try parser.quantified(.none)
      case .reserved(.truePredicate):
        parser.advance()
        return Clause(content: .predicate(ConstantPredicate(value: true)), start: start)
      case .reserved(.falsePredicate):
        parser.advance()
        return Clause(content: .predicate(ConstantPredicate(value: false)), start: start)
      case .sign(.openParenthesis):
        parser.advance()
        let inner = try parser.clause(minimum: .or)
        try parser.expect(.closeParenthesis, "to end the parenthesis")
        guard case .expression(let expression) = inner.content else {
          return Clause(content: inner.content, start: start)
        }
        return Clause(
          content: .expression(try parser.suffixes(of: expression, isInParentheses: true)),
          start: start)
      case .sign(.minus):
        return Clause(content: .expression(try parser.negation()), start: start)
      default:
        let primary = try parser.primary()
        return Clause(content: .expression(try parser.suffixes(of: primary)), start: start)
      }
    }
  }

  /// Reads a minus sign and the operand it negates; a number becomes a negative constant.
  private mutating func negation() throws(InvalidPredicateError) -> NSExpression {
    advance()
    switch current.kind {
    case .integer(let value):
      advance()
      // Return a constant instead of the product, so that negative numbers print as they are
      // written.
      return NSExpression(forConstantValue: Int(-value))
    case .unsigned(let value):
      advance()
      // Without its sign, the least integer does not fit in an `Int64`.
      return value == UInt64(Int64.max) + 1
        ? NSExpression(forConstantValue: Int(Int64.min))
        : NSExpression(forConstantValue: -Double(value))
    case .double(let value):
      advance()
      return NSExpression(forConstantValue: -value)
    default:
      let operand = try expression(self.operand())
      return .calling(.multiply, operand, NSExpression(forConstantValue: -1))
    }
  }

  /// Reads a value without the keys and indexes that may follow it.
  private mutating func primary() throws(InvalidPredicateError) -> NSExpression {
    let token = current
    switch token.kind {
    case .integer(let value): return constant(Int(value))
    case .unsigned(let value): return constant(value)
    case .double(let value): return constant(value)
    case .string(let value): return constant(value)
    case .uuid(let value): return constant(value)
    case .variable(let name):
      advance()
      return NSExpression(node: .variable(name))
    case .keyPathOperator(let name):
      advance()
      return NSExpression(node: .keyPath(name))
    case .argument(let kind):
      advance()
      return try argument(kind, at: token)
    case .identifier(let name):
      advance()
      if current.kind == .sign(.openParenthesis) { return try call(name, at: token) }
      return NSExpression(node: .keyPath(name))
    case .functionName(let name):
      advance()
      return try call(name, at: token)
    case .sign(.modulus):
      // Between two values a percent sign is the modulus operator; here it is a literal percent sign.
      return constant("%")
    case .reserved(let word):
      return try primary(word)
    case .sign(.openBrace):
      advance()
      return NSExpression(node: .aggregate(try list(until: .closeBrace, "to end the list")))
    default:
      throw unexpected("expected a value")
    }
  }

  private mutating func primary(_ word: ReservedWord) throws(InvalidPredicateError) -> NSExpression
  {
    switch word {
    case .null, .nil: return constant(nil)
    case .true, .yes: return constant(true)
    case .false, .no: return constant(false)
    case .self:
      advance()
      return .expressionForEvaluatedObject()
    case .anyKey:
      advance()
      return .expressionForAnyKey()
    case .subquery: return try subquery()
    case .cast: return try cast()
    case .fetch: return try fetch()
    case .first, .last, .size:
      throw unexpected(
        "expected a value (\(word.rawValue) is an index; write a key of that name as #\(spelling(of: current)))"
      )
    default:
      throw unexpected("expected a value (write a key of that name as #\(spelling(of: current)))")
    }
  }

  private mutating func constant(_ value: Any?) -> NSExpression {
    advance()
    return NSExpression(node: .constant(value))
  }

  /// Returns the expression for an argument of the format.
  mutating func argument(
    _ kind: Token.ArgumentKind, at token: Token
  ) throws(InvalidPredicateError) -> NSExpression {
    let value: Any?
    do {
      value = try arguments.next(as: kind)
    } catch {
      throw self.error(error.message, at: token.range.lowerBound)
    }
    // Test the type first, because casting a Swift array creates a Foundation array.
    if let value, NSExpression.isExpression(value), let expression = value as? NSExpression {
      return expression
    }
    if kind == .keyPath, let path = value as? String { return NSExpression(forKeyPath: path) }
    return NSExpression(node: .constant(value))
  }

  /// Reads expressions that are separated by commas, and the closing bracket.
  mutating func list(
    until end: Token.Sign, _ purpose: String
  ) throws(InvalidPredicateError) -> [NSExpression] {
    var elements: [NSExpression] = []
    if accept(end) { return elements }
    repeat {
      elements.append(try expression(clause(minimum: .or)))
    } while accept(.comma)
    try expect(end, purpose)
    return elements
  }
}
