package import CoreData

/// The entities whose rows determine the results of a query or what it shows.
package struct EntityReach: Sendable {
  /// The names of the entities.
  package private(set) var names: Set<String> = []
  /// Whether `names` contains all entities. False if Swift code or a fetch inside a condition may read others.
  package private(set) var isComplete = true

  package init() {}

  /// Returns whether a change to some rows may change the results of the query or what it shows.
  ///
  /// - Parameter changed: The entities of the rows, including their superentities.
  package func meets(_ changed: Set<String>) -> Bool {
    !changed.isEmpty && (!isComplete || !names.isDisjoint(with: changed))
  }

  package mutating func add(_ entity: NSEntityDescription) { names.insert(entity.name ?? "") }

  package mutating func add(_ other: EntityReach) {
    names.formUnion(other.names)
    isComplete = isComplete && other.isComplete
  }

  /// Adds the entities on a key path.
  package mutating func add(path: String, from entity: NSEntityDescription) {
    add(entity)
    var entity = entity
    for key in path.split(separator: ".") where !ConditionScope.staysInPlace(key) {
      guard let destination = entity.relationshipsByName[String(key)]?.destinationEntity else {
        return
      }
      add(destination)
      entity = destination
    }
  }

  /// Adds the entities that a condition reads.
  package mutating func add(_ predicate: NSPredicate, in scope: ConditionScope) {
    switch predicate {
    case let compound as NSCompoundPredicate:
      for part in compound.subpredicates { add(part, in: scope) }
    case let comparison as NSComparisonPredicate:
      add(comparison.leftExpression, in: scope)
      add(comparison.rightExpression, in: scope)
    case is ConstantPredicate: break
    // A block may read anything.
    default: isComplete = false
    }
  }

  private mutating func add(_ expression: NSExpression, in scope: ConditionScope) {
    switch expression.node {
    case .constant, .evaluatedObject, .variable, .anyKey: break
    case .keyPath(let path): add(path: path, from: scope.entity)
    case .subquery(let collection, let variable, let predicate):
      add(collection, in: scope)
      add(predicate, in: scope.inside(variable, of: collection))
    case .function(_, let operand, let arguments):
      if let (operand, path) = expression.operandKeyPath {
        add(operand, in: scope)
        // An operator such as `@count` applied to values reads no rows; any other path may.
        if let rows = scope.rows(operand) {
          add(path: path, from: rows)
        } else if !path.hasPrefix("@") {
          isComplete = false
        }
        return
      }
      if let operand { add(operand, in: scope) }
      for argument in arguments { add(argument, in: scope) }
    case .set(_, let left, let right):
      add(left, in: scope)
      add(right, in: scope)
    case .aggregate(let elements): for element in elements { add(element, in: scope) }
    case .conditional(let predicate, let first, let second):
      add(predicate, in: scope)
      add(first, in: scope)
      add(second, in: scope)
    case .block, .custom: isComplete = false
    }
  }
}
