import CoreData

extension ReferenceResolver {
  /// Replaces text that refers to a row with the row's ID, wherever a condition compares a row with it: `SELF == "p4"`,
  /// `team IN {"Team/p1", "Team/p2"}`, `ANY players.objectID == "Player/p7"`, and
  /// `SUBQUERY(players, $x, $x == "p7").@count > 0`.
  ///
  /// The predicate language compares rows with IDs, but has no syntax for an ID. Text that does not refer to a row is
  /// kept, and is reported when the condition is bound to the model. Each row costs a query.
  ///
  /// - Throws: ``Diagnostic`` if the store has no such row of the compared entity; errors of the fetch.
  func resolving(
    _ predicate: NSPredicate, of entity: NSEntityDescription
  ) throws -> NSPredicate {
    try PredicateReferenceResolver(references: self, scope: ConditionScope(of: entity)).resolving(
      predicate)
  }
}

/// Traverses a condition, and keeps track of the entity whose rows its parts evaluate to.
private struct PredicateReferenceResolver {
  let references: ReferenceResolver
  let scope: ConditionScope

  func resolving(_ predicate: NSPredicate) throws -> NSPredicate {
    switch predicate {
    case let compound as NSCompoundPredicate:
      let parts = compound.subpredicates
      let resolved = try parts.map { try resolving($0) }
      // Most conditions refer to no rows and are not built again.
      if zip(parts, resolved).allSatisfy({ $0 === $1 }) { return compound }
      return NSCompoundPredicate(type: compound.compoundPredicateType, subpredicates: resolved)
    case let comparison as NSComparisonPredicate:
      return try resolving(comparison)
    default: return predicate
    }
  }

  private func resolving(_ comparison: NSComparisonPredicate) throws -> NSComparisonPredicate {
    var left = try resolving(comparison.leftExpression)
    var right = try resolving(comparison.rightExpression)
    if let rows = scope.rows(left), let ids = try ids(right, of: rows) {
      right = ids
    } else if let rows = scope.rows(right), let ids = try ids(left, of: rows) {
      left = ids
    }
    if left === comparison.leftExpression, right === comparison.rightExpression {
      return comparison
    }
    return NSComparisonPredicate(
      leftExpression: left, rightExpression: right,
      modifier: comparison.comparisonPredicateModifier, type: comparison.predicateOperatorType,
      options: comparison.options)
  }

  // MARK: Expressions

  /// Resolves the conditions inside an expression.
  private func resolving(_ expression: NSExpression) throws -> NSExpression {
    switch expression.node {
    case .subquery(let collection, let variable, let predicate):
      let inner = PredicateReferenceResolver(
        references: references, scope: scope.inside(variable, of: collection))
      let (members, condition) = (try resolving(collection), try inner.resolving(predicate))
      if members === collection, condition === predicate { return expression }
      return NSExpression(
        node: .subquery(collection: members, variable: variable, predicate: condition))
    case .function(let name, let operand, let arguments):
      let target = try operand.map { try resolving($0) }
      let given = try resolving(arguments)
      if target === operand, given == nil { return expression }
      return NSExpression(
        node: .function(name: name, operand: target, arguments: given ?? arguments))
    case .set(let operation, let left, let right):
      guard let sides = try resolving([left, right]) else { return expression }
      return NSExpression(node: .set(operation, sides[0], sides[1]))
    case .aggregate(let elements):
      return try resolving(elements).map { NSExpression(node: .aggregate($0)) } ?? expression
    case .conditional(let predicate, let first, let second):
      let (condition, sides) = (try resolving(predicate), try resolving([first, second]))
      if condition === predicate, sides == nil { return expression }
      return NSExpression(
        node: .conditional(condition, true: sides?[0] ?? first, false: sides?[1] ?? second))
    default: return expression
    }
  }

  /// Resolves the conditions inside expressions; nil if nothing changes.
  private func resolving(_ expressions: [NSExpression]) throws -> [NSExpression]? {
    let resolved = try expressions.map { try resolving($0) }
    return zip(expressions, resolved).allSatisfy { $0 === $1 } ? nil : resolved
  }

  // MARK: Rows

  /// Returns the IDs of the rows that a string, or a list of strings, refers to; nil if one of them does not refer to a
  /// row.
  private func ids(_ expression: NSExpression, of rows: NSEntityDescription) throws
    -> NSExpression?
  {
    switch expression.node {
    case .constant(let text as String):
      guard let reference = ObjectReference(text) else { return nil }
      return NSExpression(forConstantValue: try references.existingID(reference, of: rows))
    case .aggregate(let elements):
      if elements.isEmpty { return nil }
      let ids = try elements.compactMap { try self.ids($0, of: rows) }
      return ids.count == elements.count ? NSExpression(forAggregate: ids) : nil
    default: return nil
    }
  }
}
