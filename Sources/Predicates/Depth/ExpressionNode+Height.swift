extension ExpressionNode {
  /// The number of levels of the tree at and below this node.
  var height: Int { levels({ $0.height }, { $0.height }, subquery: 1, conditional: 1) }

  /// The recursion depth for evaluating this node, in levels. A subquery and a conditional count for several.
  var nesting: Int { levels({ $0.nesting }, { $0.nesting }, subquery: 4, conditional: 2) }

  /// Returns the height of the highest part plus the levels that this node counts for.
  ///
  /// - Parameters:
  ///   - subquery: The levels that a subquery counts for.
  ///   - conditional: The levels that a conditional counts for.
  @inline(__always)
  private func levels(
    _ levels: (NSExpression) -> Int, _ predicateLevels: (NSPredicate) -> Int, subquery: Int,
    conditional: Int
  ) -> Int {
    func most(_ expressions: [NSExpression]) -> Int {
      expressions.reduce(0) { max($0, levels($1)) }
    }
    return switch self {
    case .constant(let value): NestedValues.heightAsConstant(value)
    case .evaluatedObject, .variable, .keyPath, .anyKey, .custom: 1
    case .function(_, let operand, let arguments):
      1 + max(operand.map(levels) ?? 0, most(arguments))
    case .set(_, let left, let right): 1 + max(levels(left), levels(right))
    case .subquery(let collection, _, let predicate):
      subquery + max(levels(collection), predicateLevels(predicate))
    case .aggregate(let elements): 1 + most(elements)
    case .block(_, let arguments): 1 + most(arguments)
    case .conditional(let predicate, let first, let second):
      conditional + max(predicateLevels(predicate), levels(first), levels(second))
    }
  }

  /// The expressions and predicates of this node, and the value of a constant.
  var children: [AnyObject] {
    switch self {
    // The constant is in a box, because it may be a deep collection, whose release recurses too.
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

  /// Whether this node or its parts contain variables. May be true even if there are none.
  var hasVariables: Bool {
    switch self {
    case .constant, .evaluatedObject, .keyPath, .anyKey, .custom: false
    case .variable, .subquery: true
    case .function(_, let operand, let arguments):
      operand?.hasVariables == true || arguments.contains { $0.hasVariables }
    case .set(_, let left, let right): left.hasVariables || right.hasVariables
    case .aggregate(let elements): elements.contains { $0.hasVariables }
    case .block(_, let arguments): arguments.contains { $0.hasVariables }
    // Searching the predicate for variables is not worth its cost.
    case .conditional: true
    }
  }
}
