import Foundation

extension Parser {
  /// Reads the keys and indexes behind a value: `.name`, `.@count`, `.%K`, `[0]`, `[LAST]`.
  mutating func suffixes(of base: NSExpression) throws(InvalidPredicateError) -> NSExpression {
    var result = base
    let depthBefore = depth
    defer { depth = depthBefore }
    while true {
      if accept(.dot) {
        result = try key(behind: result)
      } else if current.kind == .sign(.openBracket) {
        depth += 1
        guard depth < Self.maximumDepth else {
          throw error(
            "the text nests deeper than \(Self.maximumDepth) levels", at: current.range.lowerBound)
        }
        advance()
        let index = try bracketed()
        try expect(.closeBracket, "to end the index")
        result = NSExpression(
          node: .function(
            name: PredefinedFunction.elementAtIndex.rawValue, operand: nil,
            arguments: [result, index]))
      } else {
        return result
      }
    }
  }

  private mutating func key(behind base: NSExpression) throws(InvalidPredicateError) -> NSExpression
  {
    let token = current
    switch token.kind {
    case .identifier(let name), .keyPathOperator(let name):
      advance()
      return base.appending(keyPath: name)
    case .reserved:
      // Behind a dot a reserved word can only be a key.
      advance()
      return base.appending(keyPath: spelling(of: token))
    case .argument(.keyPath):
      advance()
      let key = try argument(.keyPath, at: token)
      guard case .keyPath(let path) = key.node else { return base }
      return base.appending(keyPath: path)
    case .variable(let name):
      advance()
      depth += 1
      guard depth < Self.maximumDepth else {
        throw error(
          "the text nests deeper than \(Self.maximumDepth) levels", at: token.range.lowerBound)
      }
      return base.appending(key: NSExpression(node: .variable(name)))
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
