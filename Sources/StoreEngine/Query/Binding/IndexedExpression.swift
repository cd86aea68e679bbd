/// The expressions of fetch indexes that SQLite itself can compute. Other programs that open the file must be able to
/// write to it, and they do not have the library's SQL functions.
package enum IndexedExpression {

  /// Returns the function and argument of `lowercase:` or `uppercase:` of an attribute of the row; nil for another
  /// expression, or if it is not indexed (`isIndexed(_:of:)`).
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

  /// Returns whether a fetch index of an entity, or of one of its parents, begins with an expression. Partial indexes
  /// do not count.
  package static func isIndexed(_ expression: BoundExpression, of layout: EntityLayout) -> Bool {
    for owner in sequence(first: layout, next: \.superlayout) {
      // A partial index does not contain all rows, so a search of it may miss some.
      for index in owner.entity.indexes where index.partialPredicateFormat == nil {
        guard let element = index.elements.first, let text = element.expressionText else {
          continue
        }
        if let bound = bound(text, in: layout), bound.isSame(as: expression) { return true }
      }
    }
    return false
  }

  /// Returns the expression of an index element; nil for a string that is not a valid expression of stored properties.
  package static func bound(_ text: String, in layout: EntityLayout) -> BoundExpression? {
    guard let expression = try? NSExpression(validating: text, arguments: []) else { return nil }
    return try? PredicateBinder(layout).single(expression)
  }
}

extension BoundExpression {
  /// Returns whether both expressions compute the same result from the same attributes of a row; false if this is
  /// unknown.
  fileprivate func isSame(as other: BoundExpression) -> Bool {
    switch (self, other) {
    case (.constant(let a, _), .constant(let b, _)): a == b
    case (.property(let a), .property(let b)):
      // One path may begin at a parent entity and the other at a subentity.
      a.level == b.level && a.steps == b.steps && a.terminal == b.terminal
    case (.arithmetic(let a, let left, let right), .arithmetic(let b, let first, let second)):
      a == b && left.isSame(as: first) && right.isSame(as: second)
    case (.function(let a, let left), .function(let b, let right)):
      a == b && left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
    default: false
    }
  }
}
