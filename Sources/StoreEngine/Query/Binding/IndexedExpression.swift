/// The expressions of fetch indexes, as far as SQLite computes them by itself: whoever opens the file must
/// be able to write to it.
package enum IndexedExpression {
  /// The function and the argument of `lowercase:` and `uppercase:` of an attribute of the row, where a
  /// fetch index of the entity begins with it.
  package static func caseFunction(
    _ expression: BoundExpression
  ) -> (PredefinedFunction, BoundExpression)? {
    guard case .function(let function, let arguments) = expression,
      case .predefined(let name) = function.operation, CaseOrigins.of(name) != nil,
      arguments.count == 1, case .property(let path) = arguments[0], path.level == 0,
      path.steps.isEmpty, isIndexed(expression, of: path.start)
    else { return nil }
    return (name, arguments[0])
  }

  /// Whether a fetch index of an entity, or of one above it, begins with an expression.
  package static func isIndexed(_ expression: BoundExpression, of layout: EntityLayout) -> Bool {
    for owner in sequence(first: layout, next: \.superlayout) {
      for index in owner.entity.indexes where index.partialPredicateFormat == nil {
        guard let element = index.elements.first, let text = element.expressionText else {
          continue
        }
        if let bound = bound(text, in: layout), bound.isSame(as: expression) { return true }
      }
    }
    return false
  }

  /// The expression of an element; nil for a text that cannot be read or names what is not stored.
  package static func bound(_ text: String, in layout: EntityLayout) -> BoundExpression? {
    guard let expression = try? NSExpression(validating: text, arguments: []) else { return nil }
    return try? PredicateBinder(layout).single(expression)
  }
}

extension BoundExpression {
  /// Whether both are the same computation of the same attributes of a row; false where it is not known.
  fileprivate func isSame(as other: BoundExpression) -> Bool {
    switch (self, other) {
    case (.constant(let a, _), .constant(let b, _)): a == b
    case (.property(let a), .property(let b)):
      // An entity's path begins at the entity, a subentity's at that.
      a.level == b.level && a.steps == b.steps && a.terminal == b.terminal
    case (.arithmetic(let a, let left, let right), .arithmetic(let b, let first, let second)):
      a == b && left.isSame(as: first) && right.isSame(as: second)
    case (.function(let a, let left), .function(let b, let right)):
      a == b && left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
    default: false
    }
  }
}
