/// Prints expressions in their canonical form.
enum ExpressionPrinter {
  /// Returns the text of an expression. It parses to an equal expression, unless the expression contains Swift code, or
  /// a constant that has no exact form in the language, such as an object, a dictionary, `NSNull`, a decimal with more
  /// digits than a double, or a date between two microseconds.
  static func text(of expression: NSExpression) -> String {
    LargeStack.run(height: expression.height) {
      var text = ""
      write(expression, to: &text)
      return text
    }
  }

  static func write(_ expression: NSExpression, to text: inout String) {
    switch expression.node {
    case .constant(let value): text += ConstantPrinter.text(of: value)
    case .evaluatedObject: text += "SELF"
    case .variable(let name): text += "$" + KeyPathPrinter.name(name)
    case .keyPath(let path): text += KeyPathPrinter.text(of: path)
    case .function(let name, let operand?, let arguments):
      writeMessage(name, to: operand, arguments, &text)
    case .function(let name, nil, let arguments): writeCall(name, arguments, &text)
    case .set(let operation, let left, let right):
      writeOperand(left, &text)
      text += " \(operation.rawValue) "
      writeOperand(right, &text)
    case .subquery(let collection, let variable, let predicate):
      text += "SUBQUERY("
      write(collection, to: &text)
      text += ", $\(KeyPathPrinter.name(variable)), "
      PredicatePrinter.write(predicate, to: &text)
      text += ")"
    case .aggregate(let elements): writeList("{", elements, "}", &text)
    case .anyKey: text += "ANYKEY"
    case .block(_, let arguments): writeList("BLOCK(", arguments, ")", &text)
    case .conditional(let predicate, let first, let second):
      text += "TERNARY("
      PredicatePrinter.write(predicate, to: &text)
      text += ", "
      write(first, to: &text)
      text += ", "
      write(second, to: &text)
      text += ")"
    case .custom: text += String(describing: type(of: expression))
    }
  }

  private static func writeList(
    _ opening: String, _ expressions: [NSExpression], _ closing: String, _ text: inout String
  ) {
    text += opening
    for (index, expression) in expressions.enumerated() {
      if index > 0 { text += ", " }
      write(expression, to: &text)
    }
    text += closing
  }

  private static func writeCall(
    _ name: String, _ arguments: [NSExpression], _ text: inout String
  ) {
    switch PredefinedFunction(rawValue: name) {
    case let function? where function.sign != nil && arguments.count == 2:
      writeOperand(arguments[0], &text)
      text += " \(function.sign ?? "") "
      writeOperand(arguments[1], &text)
    case .elementAtIndex where arguments.count == 2:
      writeBase(arguments[0], isIndexed: true, &text)
      writeList("[", [arguments[1]], "]", &text)
    case .cast where arguments.count == 2: writeList("CAST(", arguments, ")", &text)
    default: writeList("\(name)(", arguments, ")", &text)
    }
  }

  private static func writeMessage(
    _ name: String, to operand: NSExpression, _ arguments: [NSExpression], _ text: inout String
  ) {
    if name == NSExpression.keyPathFunction, arguments.count == 1 {
      switch arguments[0].node {
      case .keyPath(let path):
        writeBase(operand, isIndexed: false, &text)
        text += "." + KeyPathPrinter.text(of: path, isBehindDot: true)
        return
      case .variable(let key):
        writeBase(operand, isIndexed: false, &text)
        text += ".$" + KeyPathPrinter.name(key)
        return
      default: break
      }
    }
    text += "FUNCTION("
    write(operand, to: &text)
    text += ", " + ConstantPrinter.quoted(name)
    for argument in arguments {
      // Apple's output has a space before the comma.
      text += " , "
      write(argument, to: &text)
    }
    text += ")"
  }

  /// Writes an operand of an operator, in parentheses if it contains an operator itself.
  private static func writeOperand(_ expression: NSExpression, _ text: inout String) {
    switch expression.node {
    case .set: writeList("(", [expression], ")", &text)
    case .function(let name, nil, let arguments)
    where arguments.count == 2 && PredefinedFunction(rawValue: name)?.sign != nil:
      writeList("(", [expression], ")", &text)
    default: write(expression, to: &text)
    }
  }

  /// Writes the expression before a dot or an index, in parentheses unless it is a single word or call.
  private static func writeBase(
    _ expression: NSExpression, isIndexed: Bool, _ text: inout String
  ) {
    let isSingle =
      switch expression.node {
      case .keyPath(let path):
        // Apple's Foundation raises an exception for `a.d[0]` but evaluates `(a.d)[0]`.
        isIndexed ? !path.contains(".") : !expression.hasCollectionOperator
      case .variable, .subquery, .aggregate, .conditional, .evaluatedObject, .anyKey: true
      case .function(let name, nil, _): PredefinedFunction(rawValue: name)?.sign == nil
      case .function(_, _?, _): true
      case .constant(let value): KeyValueCollection(value) != nil
      default: false
      }
    if isSingle { write(expression, to: &text) } else { writeList("(", [expression], ")", &text) }
  }
}

extension NSExpression {
  /// Whether this is a key path with an operator such as `@sum`. Keys appended to it would become the operator's
  /// argument.
  var hasCollectionOperator: Bool {
    if case .keyPath(let path) = node { path.contains("@") } else { false }
  }
}

extension PredefinedFunction {
  /// The infix operator of a function with two arguments; nil if it has none.
  var sign: String? {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .raise: "**"
    case .bitwiseAnd: "&"
    case .bitwiseOr: "|"
    case .bitwiseXor: "^"
    case .leftShift: "<<"
    case .rightShift: ">>"
    default: nil
    }
  }
}
