package import CoreData

/// Determines which entity's rows the expressions in a condition evaluate to.
package struct ConditionScope {
  /// The entity of the evaluated rows.
  package let entity: NSEntityDescription
  /// The entities of the rows that the variables of enclosing subqueries stand for.
  var variables: [String: NSEntityDescription] = [:]

  package init(of entity: NSEntityDescription) { self.entity = entity }

  /// The scope inside a subquery over a collection.
  func inside(_ variable: String, of collection: NSExpression) -> ConditionScope {
    var inner = self
    inner.variables[variable] = rows(collection)
    return inner
  }

  /// The entity of the rows that an expression evaluates to; nil if the values are not rows.
  func rows(_ expression: NSExpression) -> NSEntityDescription? {
    switch expression.node {
    case .evaluatedObject: return entity
    case .variable(let name): return variables[name]
    case .keyPath(let path): return rows(path, from: entity)
    case .subquery(let collection, _, _): return rows(collection)
    default:
      guard let (operand, path) = expression.operandKeyPath else { return nil }
      return rows(operand).flatMap { rows(path, from: $0) }
    }
  }

  private func rows(_ path: String, from entity: NSEntityDescription) -> NSEntityDescription? {
    var entity = entity
    let keys = path.split(separator: ".").map(String.init)
    for (place, key) in keys.enumerated() {
      if key == "objectID" || key == "SELF", place == keys.count - 1 { return entity }
      guard let destination = entity.relationshipsByName[key]?.destinationEntity else {
        return nil
      }
      entity = destination
    }
    return entity
  }
}
