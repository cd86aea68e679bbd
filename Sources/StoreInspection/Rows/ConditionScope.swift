package import CoreData

/// Determines the entity of the rows, or the attribute of the values, that an expression in a condition evaluates to.
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

  /// Returns the attribute that an expression reads, directly or through an operator such as `@max` whose result has
  /// the attribute's type; nil for any other expression.
  func attribute(_ expression: NSExpression) -> NSAttributeDescription? {
    switch expression.node {
    case .keyPath(let path): return attribute(path, from: entity)
    case .conditional(_, let first, let second): return attribute(first) ?? attribute(second)
    case .function(let name, _, let arguments):
      if let (operand, path) = expression.operandKeyPath {
        return rows(operand).flatMap { attribute(path, from: $0) }
      }
      let keepsType = PredefinedFunction(rawValue: name).map(Self.typeKeeping.contains) ?? false
      return keepsType ? arguments.first.flatMap { attribute($0) } : nil
    default: return nil
    }
  }

  /// The functions whose result is of the same kind (number, date or string) as the values of their first argument.
  private static let typeKeeping: Set<PredefinedFunction> = [
    .minimum, .maximum, .average, .median, .mode, .noIndex, .indexedBy, .elementAtIndex,
  ]

  private func attribute(
    _ path: String, from entity: NSEntityDescription
  ) -> NSAttributeDescription? {
    let keys = path.split(separator: ".")
    // These operators return numbers, whatever the values are.
    guard !keys.contains("@count"), !keys.contains("@sum") else { return nil }
    var rest = keys.filter { !Self.staysInPlace($0) }.map(String.init)[...]
    var entity = entity
    while let key = rest.popFirst() {
      switch entity.propertiesByName[key] {
      case let relationship as NSRelationshipDescription:
        guard let destination = relationship.destinationEntity else { return nil }
        entity = destination
      case let composite as NSCompositeAttributeDescription where !rest.isEmpty:
        return composite.element(at: ([key] + rest).joined(separator: "."))
      case let attribute as NSAttributeDescription: return rest.isEmpty ? attribute : nil
      default: return nil
      }
    }
    return nil
  }

  /// Returns whether a key leads to no other rows: in `players.@max.age`, `age` is read from the players.
  static func staysInPlace(_ key: Substring) -> Bool { key.hasPrefix("@") || isSelf(key) }

  private static func isSelf(_ key: Substring) -> Bool { key == "self" || key == "SELF" }
}
