import Foundation

extension ExpressionNode {
  /// The levels of the tree below and including this node.
  var height: Int {
    switch self {
    case .constant(let value): NestedValues.heightAsConstant(value)
    case .evaluatedObject, .variable, .keyPath, .anyKey, .custom: 1
    case .function(_, let operand, let arguments):
      1 + max(operand?.height ?? 0, Self.height(of: arguments))
    case .set(_, let left, let right): 1 + max(left.height, right.height)
    case .subquery(let collection, _, let predicate):
      1 + max(collection.height, predicate.height)
    case .aggregate(let elements): 1 + Self.height(of: elements)
    case .block(_, let arguments): 1 + Self.height(of: arguments)
    case .conditional(let predicate, let first, let second):
      1 + max(predicate.height, first.height, second.height)
    }
  }

  private static func height(of expressions: [NSExpression]) -> Int {
    expressions.reduce(0) { max($0, $1.height) }
  }

  /// The expressions and predicates that this node is made of, and what a constant holds.
  var children: [AnyObject] {
    switch self {
    case .constant(let value): value.map { [NestedValues.Held($0)] } ?? []
    case .evaluatedObject, .variable, .keyPath, .anyKey, .custom: []
    case .function(_, let operand, let arguments): (operand.map { [$0] } ?? []) + arguments
    case .set(_, let left, let right): [left, right]
    case .subquery(let collection, _, let predicate): [collection, predicate]
    case .aggregate(let elements): elements
    case .block(_, let arguments): arguments
    case .conditional(let predicate, let first, let second): [predicate, first, second]
    }
  }

  /// The levels of recursion that evaluating this node takes; a subquery takes more than others.
  var nesting: Int {
    switch self {
    case .constant(let value): NestedValues.heightAsConstant(value)
    case .evaluatedObject, .variable, .keyPath, .anyKey, .custom: 1
    case .function(_, let operand, let arguments):
      1 + max(operand?.nesting ?? 0, Self.nesting(of: arguments))
    case .set(_, let left, let right): 1 + max(left.nesting, right.nesting)
    case .subquery(let collection, _, let predicate):
      4 + max(collection.nesting, predicate.nesting)
    case .aggregate(let elements): 1 + Self.nesting(of: elements)
    case .block(_, let arguments): 1 + Self.nesting(of: arguments)
    case .conditional(let predicate, let first, let second):
      2 + max(predicate.nesting, first.nesting, second.nesting)
    }
  }

  private static func nesting(of expressions: [NSExpression]) -> Int {
    expressions.reduce(0) { max($0, $1.nesting) }
  }

  /// Whether there are variables in this node or below.
  var hasVariables: Bool {
    switch self {
    case .constant, .evaluatedObject, .keyPath, .anyKey, .custom: false
    case .variable, .subquery: true
    case .function(_, let operand, let arguments):
      operand?.hasVariables == true || arguments.contains { $0.hasVariables }
    case .set(_, let left, let right): left.hasVariables || right.hasVariables
    case .aggregate(let elements): elements.contains { $0.hasVariables }
    case .block(_, let arguments): arguments.contains { $0.hasVariables }
    // Of a predicate's it is not known without looking.
    case .conditional: true
    }
  }
}
