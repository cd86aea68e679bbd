package import Foundation

/// A predicate or an expression, for code that walks through all parts of a tree.
package enum TreePart {
  case predicate(NSPredicate)
  case expression(NSExpression)

  /// The direct parts. The arguments of a block expression are not among them.
  package var parts: [TreePart] {
    switch self {
    case .predicate(let predicate):
      switch predicate.shape {
      case .constant, .block, .custom: []
      case .compound(_, let predicates): predicates.map(TreePart.predicate)
      case .comparison(let comparison):
        [.expression(comparison.leftExpression), .expression(comparison.rightExpression)]
      }
    case .expression(let expression):
      switch expression.node {
      case .constant, .evaluatedObject, .variable, .keyPath, .anyKey, .block, .custom: []
      case .function(_, let operand, let arguments):
        (arguments + (operand.map { [$0] } ?? [])).map(TreePart.expression)
      case .set(_, let left, let right): [.expression(left), .expression(right)]
      case .aggregate(let elements): elements.map(TreePart.expression)
      case .subquery(let collection, _, let predicate):
        [.expression(collection), .predicate(predicate)]
      case .conditional(let predicate, let first, let second):
        [.predicate(predicate), .expression(first), .expression(second)]
      }
    }
  }
}
