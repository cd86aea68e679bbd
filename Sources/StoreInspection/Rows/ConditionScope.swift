package import CoreData

/// Determines the entity of the rows that an expression in a condition evaluates to.
package struct ConditionScope {
  /// The entity of the evaluated rows.
  package let entity: NSEntityDescription
  /// The entity of the rows that each variable of the enclosing subqueries refers to, by the variable's name.
  var variables: [String: NSEntityDescription] = [:]

  package init(of entity: NSEntityDescription) { self.entity = entity }

  /// Returns the scope inside a subquery that iterates over a collection with a variable.
  func inside(_ variable: String, of collection: NSExpression) -> ConditionScope {
    var inner = self
    inner.variables[variable] = rows(collection)
    return inner
  }

  /// Returns the entity of the rows that an expression evaluates to; nil if its values are not rows.
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
    for key in path.split(separator: ".") where !Self.isSelf(key) {
      // The identifier of a row represents the row, and only SELF can follow it.
      if key == "objectID" { return entity }
      guard let destination = entity.relationshipsByName[String(key)]?.destinationEntity else {
        return nil
      }
      entity = destination
    }
    return entity
  }

  /// Returns whether the key after a key is read from the same rows: after `players.@max`, from the players.
  static func staysInPlace(_ key: Substring) -> Bool { key.hasPrefix("@") || isSelf(key) }

  private static func isSelf(_ key: Substring) -> Bool { key == "self" || key == "SELF" }
}
