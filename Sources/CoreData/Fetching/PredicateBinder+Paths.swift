import Foundation
import ObjectModel
import Predicates

/// What a key path leads to.
enum ResolvedPath {
  case single(BoundExpression)
  /// A to-many relationship, and the keys after it.
  case collection(BoundCollection, rest: [Substring])
}

extension PredicateBinder {
  /// Resolves an expression that reads the row.
  func resolve(_ expression: NSExpression) throws -> ResolvedPath {
    if let constant = try constantValue(expression) {
      return .single(.constant(try convert(constant.value, like: nil, expression.description)))
    }
    switch expression.expressionType {
    case .evaluatedObject: return try resolve(keys: [], level: level)
    case .keyPath:
      return try resolve(keys: expression.keyPath.split(separator: "."), level: level)
    case .variable:
      guard let level = variables[expression.variable] else {
        throw CoreDataError.badRequest(
          "$\(expression.variable) has no value: substitute it before fetching")
      }
      return try resolve(keys: [], level: level)
    case .subquery:
      throw CoreDataError.badRequest(
        "a subquery can be counted, not compared: write \(expression).@count")
    case .function: return .single(try function(expression))
    default:
      throw CoreDataError.badRequest("this expression cannot be fetched with: \(expression)")
    }
  }

  /// Resolves a key path from the row of a level.
  func resolve(keys: [Substring], level: Int) throws -> ResolvedPath {
    let start = scopes[level]
    var layout = start
    var steps: [Int] = []
    func path(_ terminal: BoundPath.Terminal) -> BoundPath {
      BoundPath(level: level, start: start, steps: steps, end: layout, terminal: terminal)
    }
    for (position, key) in keys.enumerated() {
      let rest = Array(keys[(position + 1)...])
      if key == "SELF" || key == "self" || key == "objectID" {
        guard rest.isEmpty else { continue }
        return .single(.property(path(.object)))
      }
      guard let slot = layout.slot(named: String(key)) else {
        throw CoreDataError.unknownKey(String(key), in: layout)
      }
      if slot.isTransient || slot.kind == .fetched {
        throw CoreDataError.badRequest(
          "\(layout.name).\(key) is not stored, so nothing can be fetched by it")
      }
      switch slot.kind {
      case .attribute:
        let property = BoundExpression.property(path(.attribute(slot.index)))
        if rest.isEmpty { return .single(property) }
        if rest == ["length"], property.isText { return .single(.function(.length, property)) }
        throw CoreDataError.badRequest(
          "keypath \(keys.joined(separator: ".")): \(layout.name).\(key) is an attribute, nothing"
            + " can follow it")
      case .toOne:
        if rest.isEmpty { return .single(.property(path(.reference(slot.index)))) }
        steps.append(slot.index)
        layout = try destination(of: slot, in: layout)
      case .toMany:
        let collection = BoundCollection(
          owner: path(.object), slot: slot.index, level: scopes.count,
          destination: try destination(of: slot, in: layout))
        if let first = rest.first, first.hasPrefix("@") {
          return .single(try collectionOperator(first, collection, rest))
        }
        return .collection(collection, rest: rest)
      case .fetched: break
      }
    }
    return .single(.property(path(.object)))
  }

  private func destination(of slot: PropertySlot, in layout: EntityLayout) throws -> EntityLayout {
    guard let destination = slot.relationship?.destination else {
      throw CoreDataError.badRequest("\(layout.name).\(slot.name) has no destination entity")
    }
    return destination
  }

  /// `players.@count`, `players.@max.age`, `players.age.@max`.
  private func collectionOperator(
    _ name: Substring, _ collection: BoundCollection, _ rest: [Substring]
  ) throws -> BoundExpression {
    if name == "@count" { return .count(collection) }
    guard let aggregate = BoundExpression.Aggregate(rawValue: String(name.dropFirst())) else {
      throw CoreDataError.badRequest("\(name) cannot be fetched with")
    }
    let resolved = try entering(collection).resolve(
      keys: Array(rest.dropFirst()), level: collection.level)
    guard case .single(.property(let path)) = resolved, path.attribute != nil else {
      throw CoreDataError.badRequest("\(name) needs an attribute of the members after it")
    }
    return .aggregate(aggregate, collection, path)
  }

  /// A function of the row: arithmetic, letter case, length, a count or a subquery's count.
  private func function(_ expression: NSExpression) throws -> BoundExpression {
    if let (variable, keyPath) = expression.variableKeyPath {
      guard let level = variables[variable] else {
        throw CoreDataError.badRequest(
          "$\(variable) has no value: substitute it before fetching")
      }
      return try single(
        try resolve(keys: keyPath.split(separator: "."), level: level), expression)
    }
    if case .subquery(let collection, let variable, let predicate)? =
      expression.countedSubquery?.node
    {
      return try subqueryCount(collection, variable, predicate, expression)
    }
    let arguments = expression.arguments ?? []
    func argument(_ index: Int) throws -> BoundExpression {
      guard index < arguments.count else {
        throw CoreDataError.badRequest("\(expression) lacks an argument")
      }
      return try single(try resolve(arguments[index]), expression)
    }
    switch expression.function {
    case "add:to:": return .arithmetic(.add, try argument(0), try argument(1))
    case "from:subtract:": return .arithmetic(.subtract, try argument(0), try argument(1))
    case "multiply:by:": return .arithmetic(.multiply, try argument(0), try argument(1))
    case "divide:by:": return .arithmetic(.divide, try argument(0), try argument(1))
    case "uppercase:": return .function(.uppercase, try argument(0))
    case "lowercase:": return .function(.lowercase, try argument(0))
    case "length:": return .function(.length, try argument(0))
    case "abs:": return .function(.abs, try argument(0))
    case "noindex:": return try argument(0)
    case "count:":
      guard let first = arguments.first, case .collection(let collection, _) = try resolve(first)
      else { throw CoreDataError.badRequest("count: needs a to-many key path: \(expression)") }
      return .count(collection)
    default:
      throw CoreDataError.badRequest(
        "Unsupported function expression \(expression): a store cannot compute"
          + " \(expression.function)")
    }
  }

  private func subqueryCount(
    _ collection: NSExpression, _ variable: String, _ predicate: NSPredicate,
    _ expression: NSExpression
  ) throws -> BoundExpression {
    guard case .collection(let bound, let rest) = try resolve(collection), rest.isEmpty else {
      throw CoreDataError.badRequest(
        "a subquery needs one to-many key path as its collection: \(expression)")
    }
    return .subqueryCount(bound, try entering(bound, variable: variable).bind(predicate))
  }

  private func single(
    _ resolved: ResolvedPath, _ expression: NSExpression
  ) throws -> BoundExpression {
    guard case .single(let bound) = resolved else {
      throw CoreDataError.badRequest("to-many key not allowed here: \(expression)")
    }
    return bound
  }
}
