/// A constant in a request, which may be nil.
package struct RequestConstant {
  package let value: Any?
}

extension PredicateBinder {
  /// Returns the value of an expression that `isConstant`, or of a fetch expression; nil for any other expression.
  ///
  /// Every expression is first passed to this method: each side of a comparison, a column, a group key, the value of
  /// a batch update and a derivation. The binder's other methods recurse as deep as the expression nests, so
  /// this method checks its depth first.
  ///
  /// - Throws: An ``InvalidPredicateError`` for an expression that nests too deeply, `NSCoreDataError` for one that
  ///   cannot be computed, or the error of a fetch.
  package func constantValue(_ expression: NSExpression) throws -> RequestConstant? {
    if case .constant(let value) = expression.node { return RequestConstant(value: value) }
    try expression.checkNesting()
    if let fetch = expression as? NSFetchRequestExpression {
      return RequestConstant(value: try fetchedValue(of: fetch))
    }
    guard expression.isConstant else { return nil }
    do {
      return RequestConstant(value: try expression.value(with: nil, nilRule: .store))
    } catch {
      throw CoreDataError.make(
        NSCoreDataError, "\(expression) cannot be computed: \(error.localizedDescription)",
        cause: error)
    }
  }
}

extension NSExpression {
  /// Whether the value is certainly the same for every object and depends on no variable. Always false for a
  /// conditional.
  package var isConstant: Bool {
    // A key path that begins at a constant object is read from that object.
    if let (operand, _) = operandKeyPath { return operand.isConstant }
    return switch node {
    case .constant: true
    case .evaluatedObject, .variable, .keyPath, .anyKey, .block, .custom, .subquery: false
    // Each row gets its own random number.
    case .function("random", nil, _), .function("randomn:", nil, _): false
    case .function(_, let operand, let arguments):
      operand?.isConstant != false && arguments.allSatisfy(\.isConstant)
    case .set(_, let left, let right): left.isConstant && right.isConstant
    case .aggregate(let members): members.allSatisfy(\.isConstant)
    case .conditional: false
    }
  }
}
