extension NSExpression {
  /// The function by which a key path begins at another expression than the evaluated object.
  ///
  /// `$x.a.b`, `SUBQUERY(…).@count` and `tags[0].name` are function expressions of this name:
  /// the operand is what stands before the first dot, the one argument a key path expression
  /// with all that stands behind it (`"a.b"`). `$a.$b` has the variable `b` as its argument.
  package static let keyPathFunction = "valueForKeyPath:"

  /// The two parts of a key path that begins at another expression, as in `SUBQUERY(…).@count`.
  package var operandKeyPath: (operand: NSExpression, keyPath: String)? {
    guard case .function(Self.keyPathFunction, let operand?, let arguments) = node,
      arguments.count == 1
    else { return nil }
    switch arguments[0].node {
    case .keyPath(let path): return (operand, path)
    case .constant(let path as String): return (operand, path)
    default: return nil
    }
  }

  /// The parts of a key path that begins at a variable: `$x.a.b` gives `("x", "a.b")`.
  package var variableKeyPath: (variable: String, keyPath: String)? {
    guard let (operand, keyPath) = operandKeyPath, case .variable(let name) = operand.node
    else { return nil }
    return (name, keyPath)
  }

  /// This expression with a key path behind it: one key path where it begins at the evaluated
  /// object, else a function `valueForKeyPath:` of it.
  package func appending(keyPath: String) -> NSExpression {
    switch node {
    case .evaluatedObject:
      return NSExpression(forKeyPath: keyPath)
    case .keyPath(let path):
      return NSExpression(node: .keyPath(path + "." + keyPath))
    default:
      if let (operand, path) = operandKeyPath {
        return operand.appending(keyPath: path + "." + keyPath)
      }
      return appending(key: NSExpression(node: .keyPath(keyPath)))
    }
  }

  /// This expression with a key behind it that is itself an expression, `$a.$b`.
  package func appending(key: NSExpression) -> NSExpression {
    NSExpression(
      node: .function(name: Self.keyPathFunction, operand: self, arguments: [key]))
  }
}
