extension Parser {
  /// Reads the keys and indexes after a value: `.name`, `.@count`, `.%K`, `[0]`, `[LAST]`.
  ///
  /// Keys after an operator of a key path belong to the operator, unless parentheses end the path:
  /// `(kids.@unionOfObjects.name).@count` counts the names; without parentheses, `@count` applies to each name.
  mutating func suffixes(
    of base: NSExpression, isInParentheses: Bool = false
  ) throws(InvalidPredicateError) -> NSExpression {
    var result = base
    // The nesting levels that are added below count until the path ends, including for index expressions in it.
    let depthBefore = depth
    defer { depth = depthBefore }
    // Keys that are appended to the path itself would belong to its operator: `(kids.@max.age).x` differs from
    // `kids.@max.age.x`.
    if isInParentheses, current.kind == .sign(.dot), base.hasCollectionOperator {
      advance()
      if case .variable = current.kind {
        result = try keys(behind: base)
      } else {
        result = base.appending(key: try keys(behind: .expressionForEvaluatedObject()))
      }
      try deepen(by: max(0, result.nesting - base.nesting))
    }
    while true {
      if accept(.dot) {
        let longer = try keys(behind: result)
        try deepen(by: max(0, longer.nesting - result.nesting))
        result = longer
      } else if current.kind == .sign(.openBracket) {
        try deepen()
        advance()
        let index = try bracketed()
        try expect(.closeBracket, "to end the index")
        result = .calling(.elementAtIndex, result, index)
      } else {
        return result
      }
    }
  }

  /// Reads the key after a dot, and the keys that directly follow it.
  private mutating func keys(behind base: NSExpression) throws(InvalidPredicateError)
    -> NSExpression
  {
    if case .variable(let name) = current.kind {
      advance()
      return base.appending(key: NSExpression(node: .variable(name)))
    }
    // Collect the keys and append them once, because a path may have any number of keys.
    var path = try key()
    while current.kind == .sign(.dot), index + 1 < tokens.count, isKey(tokens[index + 1]) {
      advance()
      path += "." + (try key())
    }
    return base.appending(keyPath: path)
  }

  private func isKey(_ token: Token) -> Bool {
    switch token.kind {
    case .identifier, .keyPathOperator, .reserved, .argument(.keyPath): true
    default: false
    }
  }

  private mutating func key() throws(InvalidPredicateError) -> String {
    let token = current
    switch token.kind {
    case .identifier(let name), .keyPathOperator(let name):
      advance()
      return name
    case .reserved:
      // After a dot, a reserved word can only be a key.
      advance()
      return spelling(of: token)
    case .argument(.keyPath):
      advance()
      let key = try argument(.keyPath, at: token)
      if case .keyPath(let path) = key.node { return path }
      // The argument was the word `self`, which becomes the evaluated object instead of a key path.
      return "self"
    default:
      throw unexpected("expected a key after the dot")
    }
  }

  private mutating func bracketed() throws(InvalidPredicateError) -> NSExpression {
    let symbol: IndexSymbol?
    switch current.kind {
    case .reserved(.first): symbol = .first
    case .reserved(.last): symbol = .last
    case .reserved(.size): symbol = .size
    default: symbol = nil
    }
    if let symbol {
      advance()
      return NSExpression(node: .constant(symbol))
    }
    return try expression(clause(minimum: .or))
  }
}
