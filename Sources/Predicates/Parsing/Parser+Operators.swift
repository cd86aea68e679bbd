extension Parser {
  /// The operation of an operator between two clauses.
  enum Infix {
    case logical(NSCompoundPredicate.LogicalType)
    case comparison
    case function(PredefinedFunction)
    case set(ExpressionNode.SetOperation)
  }

  /// The operator at the current token; nil if there is none.
  var infix: (operation: Infix, precedence: Precedence)? {
    switch current.kind {
    case .sign(let sign): Parser.infix(of: sign)
    case .reserved(.or): (.logical(.or), .or)
    case .reserved(.and): (.logical(.and), .and)
    case .reserved(.in), .reserved(.like), .reserved(.matches), .reserved(.contains),
      .reserved(.beginsWith), .reserved(.endsWith), .reserved(.between),
      .reserved(.utiConformsTo), .reserved(.utiEquals), .selector,
      .functionName:
      (.comparison, .comparison)
    // `UNION` and the other set operators are not reserved words: a key may be called `union`. The word is an operator
    // only between two values.
    case .identifier(let word):
      ExpressionNode.SetOperation(rawValue: word.asciiUppercased).map { (.set($0), .set) }
    default: nil
    }
  }

  private static func infix(of sign: Token.Sign) -> (operation: Infix, precedence: Precedence)? {
    switch sign {
    case .or: (.logical(.or), .or)
    case .and: (.logical(.and), .and)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      (.comparison, .comparison)
    case .bitOr: (.function(.bitwiseOr), .bitOr)
    case .bitXor: (.function(.bitwiseXor), .bitXor)
    case .bitAnd: (.function(.bitwiseAnd), .bitAnd)
    case .shiftLeft: (.function(.leftShift), .shift)
    case .shiftRight: (.function(.rightShift), .shift)
    case .plus: (.function(.add), .sum)
    case .minus: (.function(.subtract), .sum)
    case .times: (.function(.multiply), .product)
    case .divide: (.function(.divide), .product)
    case .modulus: (.function(.modulus), .product)
    case .power: (.function(.raise), .power)
    default: nil
    }
  }

  /// Reads operands and the operators between them that have at least this precedence.
  mutating func clause(minimum: Precedence) throws(InvalidPredicateError) -> Clause {
    var left = try operand()
    // Each operator of a chain puts the operands before it one level deeper, so the levels add up
    // until the chain ends.
    let depthBefore = depth
    defer { depth = depthBefore }
    while let (operation, precedence) = infix, precedence >= minimum {
      switch operation {
      case .logical(let type):
        left = try chain(type, precedence: precedence, first: left)
      case .comparison:
        left = try comparison(left: left, modifier: .direct)
      case .function(let function):
        advance()
        try deepen()
        // Powers are right-associative, all other operators left-associative.
        let next = precedence == .power ? precedence : precedence.tighter
        let right = try expression(clause(minimum: next))
        left = combine(left, .calling(function, try expression(left), right))
      case .set(let operation):
        advance()
        try deepen()
        let right = try expression(clause(minimum: precedence.tighter))
        left = combine(left, NSExpression(node: .set(operation, try expression(left), right)))
      }
    }
    return left
  }

  /// Reads the rest of `a AND b AND c`, which becomes one flat compound.
  private mutating func chain(
    _ type: NSCompoundPredicate.LogicalType, precedence: Precedence, first: Clause
  ) throws(InvalidPredicateError) -> Clause {
    var parts = [try predicate(first)]
    while let next = infix, case .logical(type) = next.operation {
      advance()
      let part = try clause(minimum: precedence.tighter)
      parts.append(try predicate(part))
    }
    return Clause(
      content: .predicate(
        try checked(NSCompoundPredicate(type: type, subpredicates: parts))),
      start: first.start)
  }

  private func combine(_ left: Clause, _ expression: NSExpression) -> Clause {
    Clause(content: .expression(expression), start: left.start)
  }
}
