import Foundation

/// Writes the canonical text of expressions.
enum ExpressionPrinter {
  /// The text of an expression; parsing it gives an equal one, unless Swift code is part of it.
  static func text(of expression: NSExpression) -> String {
    switch expression.node {
    case .constant(let value): ConstantPrinter.text(of: value)
    case .evaluatedObject: "SELF"
    case .variable(let name): "$" + KeyPathPrinter.name(name)
    case .keyPath(let path): KeyPathPrinter.text(of: path)
    case .function(let name, let operand, let arguments):
      operand.map { message(name, to: $0, arguments) }
        ?? call(name, arguments)
    case .set(let operation, let left, let right):
      "\(self.operand(left)) \(operation.rawValue) \(self.operand(right))"
    case .subquery(let collection, let variable, let predicate):
      "SUBQUERY(\(text(of: collection)), $\(KeyPathPrinter.name(variable)), \(PredicatePrinter.text(of: predicate)))"
    case .aggregate(let elements): "{\(list(elements))}"
    case .anyKey: "ANYKEY"
    case .block(_, let arguments): "BLOCK(\(list(arguments)))"
    case .conditional(let predicate, let first, let second):
      "TERNARY(\(PredicatePrinter.text(of: predicate)), \(text(of: first)), \(text(of: second)))"
    case .custom: String(describing: type(of: expression))
    }
  }

  private static func list(_ expressions: [NSExpression]) -> String {
    expressions.map(text).joined(separator: ", ")
  }

  private static func call(_ name: String, _ arguments: [NSExpression]) -> String {
    guard let function = PredefinedFunction(rawValue: name) else {
      return "\(name)(\(list(arguments)))"
    }
    if let sign = function.sign, arguments.count == 2 {
      return "\(operand(arguments[0])) \(sign) \(operand(arguments[1]))"
    }
    switch function {
    case .elementAtIndex where arguments.count == 2:
      return "\(base(arguments[0], isIndexed: true))[\(text(of: arguments[1]))]"
    case .cast where arguments.count == 2:
      return "CAST(\(list(arguments)))"
    default:
      return "\(name)(\(list(arguments)))"
    }
  }

  private static func message(
    _ name: String, to operand: NSExpression, _ arguments: [NSExpression]
  ) -> String {
    if name == NSExpression.keyPathFunction, arguments.count == 1 {
      switch arguments[0].node {
      case .keyPath(let path):
        return
          "\(base(operand, isIndexed: false)).\(KeyPathPrinter.text(of: path, isBehindDot: true))"
      case .variable(let key):
        return "\(base(operand, isIndexed: false)).$\(KeyPathPrinter.name(key))"
      default: break
      }
    }
    // The blank before the comma is Apple's.
    let tail = arguments.map { " , \(text(of: $0))" }.joined()
    return "FUNCTION(\(text(of: operand)), \(ConstantPrinter.quoted(name))\(tail))"
  }

  /// An operand of an operator: in parentheses where it is an operator's result itself.
  private static func operand(_ expression: NSExpression) -> String {
    let text = text(of: expression)
    switch expression.node {
    case .set: return "(\(text))"
    case .function(let name, nil, let arguments)
    where arguments.count == 2 && PredefinedFunction(rawValue: name)?.sign != nil:
      return "(\(text))"
    default: return text
    }
  }

  /// What stands before a dot or an index: in parentheses unless it is a single word or call.
  private static func base(_ expression: NSExpression, isIndexed: Bool) -> String {
    let text = text(of: expression)
    switch expression.node {
    case .keyPath(let path) where isIndexed && path.contains("."): return "(\(text))"
    case .keyPath, .variable, .subquery, .aggregate, .conditional, .evaluatedObject, .anyKey:
      return text
    case .function(let name, nil, _) where PredefinedFunction(rawValue: name)?.sign == nil:
      return text
    case .function(_, _?, _): return text
    case .constant(let value) where KeyValueCollection(value) != nil: return text
    default: return "(\(text))"
    }
  }
}

extension PredefinedFunction {
  /// The operator that stands for a function of two arguments.
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
