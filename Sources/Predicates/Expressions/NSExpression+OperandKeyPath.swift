extension NSExpression {
  /// The name of the function that applies a key path to an operand other than the evaluated object.
  ///
  /// `$x.a.b`, `SUBQUERY(…).@count` and `tags[0].name` are calls to this function. The operand is the
  /// expression before the first dot, and the only argument is a key path expression with the rest
  /// (`"a.b"`). In `$a.$b` the argument is the variable `b`.
  package static let keyPathFunction = "valueForKeyPath:"

  /// The operand and the path of a key path that begins at another expression, as in `SUBQUERY(…).@count`.
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

  /// The variable and the path of a key path that begins at a variable: `$x.a.b` returns `("x", "a.b")`.
  package var variableKeyPath: (variable: String, keyPath: String)? {
    guard let (operand, keyPath) = operandKeyPath, case .variable(let name) = operand.node
    else { return nil }
    return (name, keyPath)
  }

  /// Returns this expression with a key path appended: a longer key path if it begins at the evaluated
  /// object, otherwise a call to `valueForKeyPath:`.
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

  /// Returns this expression with a key appended that is itself an expression, as in `$a.$b`.
  package func appending(key: NSExpression) -> NSExpression {
    NSExpression(
      node: .function(name: Self.keyPathFunction, operand: self, arguments: [key]))
  }
}
