/// The resolved form of an expression that reads the row.
package enum ResolvedExpression {
  case single(BoundExpression)
  /// A composite attribute, which has no column.
  case composite(BoundComposite)
  /// The members of a to-many relationship, and the keys after it.
  case collection(BoundMembers, rest: [Substring])
  /// The result of an operator with several values: `@unionOfObjects` or `@distinctUnionOfObjects`.
  case values(BoundValues)
  /// `{a, b}`
  case list([NSExpression])

  /// The expression, if there is one value; nil if there are many.
  ///
  /// - Throws: For a composite attribute.
  package var singleValue: BoundExpression? {
    get throws {
      switch self {
      case .single(let expression): return expression
      case .composite(let composite): throw composite.refusal
      case .collection, .values, .list: return nil
      }
    }
  }

  /// A description of the one value for a message; nil if there are many.
  var singleSubject: String? {
    switch self {
    case .single(let expression): expression.subject
    case .composite(let composite): composite.subject
    case .collection, .values, .list: nil
    }
  }
}

extension PredicateBinder {
  /// The maximum number of to-one relationships in a key path. For each of them, live results observe a chain of all
  /// relationships up to it (`RelationshipDependency`).
  package static let mostSteps = 1000

  /// Resolves an expression.
  package func resolve(_ expression: NSExpression) throws -> ResolvedExpression {
    if let constant = try constantValue(expression) {
      return .single(try conversion.constant(constant.value, expression.description))
    }
    switch expression.node {
    case .evaluatedObject: return try resolve(keys: [], level: 0)
    case .keyPath(let path):
      // A column of the request hides a property with the same name.
      if let column = columns[path] { return .single(column) }
      return try resolve(keys: BoundPath.keys(of: path), level: 0)
    case .variable(let name):
      if let column = columns[name] { return .single(column) }
      return try resolve(keys: [], level: try level(of: name))
    case .aggregate(let elements): return .list(elements)
    case .subquery(let collection, let variable, let predicate):
      return .collection(try subquery(collection, variable, predicate, expression), rest: [])
    case .conditional(let predicate, let first, let second):
      return .single(try conditional(predicate, first, second, expression))
    case .function:
      if let (operand, keyPath) = expression.operandKeyPath {
        return try resolve(keys: BoundPath.keys(of: keyPath), of: operand, expression)
      }
      return try function(expression)
    case .set(let operation, _, _):
      throw CoreDataError.badRequest(
        "\(operation.rawValue) of collections cannot be used in a fetch request: \(expression)")
    case .block:
      throw CoreDataError.badRequest(
        "a block expression cannot be used in a fetch request: a store has no objects to call it with"
      )
    default:
      throw CoreDataError.badRequest(
        "this expression cannot be used in a fetch request: \(expression)")
    }
  }

  /// Returns an expression with one value.
  ///
  /// - Throws: `NSCoreDataError` if the expression has several values, is a composite attribute, or cannot be resolved.
  package func single(_ expression: NSExpression) throws -> BoundExpression {
    switch try operand(expression) {
    case .bound(let bound): return bound
    case .composite(let composite): throw composite.refusal
    case .constant(let value):
      return try conversion.constant(value, expression.description)
    }
  }

  /// Returns the level of the rows that the variable of a subquery represents.
  package func level(of variable: String) throws -> Int {
    guard let level = variables[variable] else {
      throw CoreDataError.badRequest("$\(variable) has no value: substitute it before the fetch")
    }
    return level
  }

  /// Resolves a key path from the row of a level.
  package func resolve(keys: [Substring], level: Int) throws -> ResolvedExpression {
    let start = scopes[level] ?? root
    return try resolve(
      keys: keys[...],
      from: BoundPath(level: level, start: start, steps: [], end: start, terminal: .object))
  }

  /// Resolves a key path from the object at the end of a path.
  private func resolve(
    keys: ArraySlice<Substring>, from start: BoundPath
  ) throws -> ResolvedExpression {
    var rest = keys
    var steps = start.steps
    var layout = start.end
    func path(_ terminal: BoundPath.Terminal) -> BoundPath {
      BoundPath(
        level: start.level, start: start.start, steps: steps, end: layout, terminal: terminal)
    }
    // The path so far, which is the start itself until the first step.
    var here: BoundPath { steps.count == start.steps.count ? start : path(.object) }
    // A loop instead of a recursion, because a key path may have 100,000 keys.
    while let key = rest.popFirst() {
      if key.isSelf { continue }
      if key == "objectID" {
        if let key = rest.first(where: { !$0.isSelf }) {
          throw CoreDataError.badRequest("the objectID of \(layout.name) has no property \(key)")
        }
        return .single(.property(here))
      }
      guard let slot = layout.slot(named: String(key)) else {
        if key == "entity", rest.allSatisfy(\.isSelf) { return .single(.entity(here)) }
        if key == "entity", rest.first == "name" {
          return .single(try keysOfValue(rest.dropFirst(), .entityName(here)))
        }
        throw CoreDataError.unknownKey(String(key), in: layout)
      }
      if slot.isTransient || slot.kind == .fetched {
        throw CoreDataError.badRequest(
          "\(layout.name).\(key) is not stored, so it cannot be used in a fetch request")
      }
      switch slot.kind {
      case .composite:
        switch try CompositeValue(slot, in: layout).target(of: rest) {
        case .element(let element, let rest):
          return .single(try keysOfValue(rest, .property(path(.attribute(element.index)))))
        case .composite(let value):
          return .composite(BoundComposite(owner: here, value: value))
        }
      case .attribute, .fetched:
        return .single(try keysOfValue(rest, .property(path(.attribute(slot.index)))))
      case .toOne:
        if rest.isEmpty { return .single(.property(path(.reference(slot.index)))) }
        let destination = try destination(of: slot, in: layout)
        if steps.count == Self.mostSteps {
          throw CoreDataError.badRequest(
            "a key path of a request may have at most \(Self.mostSteps) relationships, and one"
              + " from \(start.start.name) has more")
        }
        steps.append(slot.index)
        layout = destination
      case .toMany:
        let collection = BoundCollection(
          // Each occurrence has its own level: different members may satisfy `ANY jobs.isDone == 1`
          // and `ANY jobs.price > 9`.
          owner: here, slot: slot.index, level: newLevel(),
          destination: try destination(of: slot, in: layout))
        return try resolve(
          keys: Array(rest), ofMembers: BoundMembers(collection: collection, condition: nil))
      }
    }
    return .single(.property(here))
  }

  private func destination(of slot: PropertySlot, in layout: EntityLayout) throws -> EntityLayout {
    guard let destination = slot.relationship?.destination else {
      throw CoreDataError.badRequest("\(layout.name).\(slot.name) has no destination entity")
    }
    return destination
  }

  /// Resolves a key path after another expression: `(players[0]).name`, `SUBQUERY(…).@count`.
  private func resolve(
    keys: [Substring], of operand: NSExpression, _ expression: NSExpression
  ) throws -> ResolvedExpression {
    if case .variable(let variable) = operand.node, columns[variable] == nil {
      return try resolve(keys: keys, level: try level(of: variable))
    }
    if case .conditional(let predicate, let first, let second) = operand.node {
      let path = keys.joined(separator: ".")
      return .single(
        try conditional(
          predicate, first.isNullConstant ? first : first.appending(keyPath: path),
          second.isNullConstant ? second : second.appending(keyPath: path), expression))
    }
    switch try resolve(operand) {
    case .single(.property(let path)) where path.destination != nil:
      guard case .reference(let slot) = path.terminal, let destination = path.destination else {
        return try resolve(keys: keys[...], from: path)
      }
      return try resolve(
        keys: keys[...],
        from: BoundPath(
          level: path.level, start: path.start, steps: path.steps + [slot], end: destination,
          terminal: .object))
    case .single(.element(let members, let position, .property(let path)))
    where path.destination != nil:
      let inner = entering(members.collection)
      guard
        let value = try inner.resolve(keys: path.keys + keys, level: members.collection.level)
          .singleValue
      else {
        throw CoreDataError.badRequest("to-many key not allowed here: \(expression)")
      }
      return .single(.element(members, at: position, value))
    case .single(let value): return .single(try keysOfValue(keys[...], value))
    case .composite(let composite):
      return try resolve(
        keys: (BoundPath.keys(of: composite.value.name) + keys)[...], from: composite.owner)
    case .collection(let members, let rest):
      return try resolve(keys: rest + keys, ofMembers: members)
    case .values(let values):
      guard let name = keys.first else { return .values(values) }
      return .single(try operatorValue(name, values, Array(keys.dropFirst())))
    case .list:
      throw CoreDataError.badRequest("a list has no keys: \(expression)")
    }
  }

  /// Resolves keys after a to-many relationship. If there are operators among them, the first one determines the
  /// result.
  private func resolve(
    keys: [Substring], ofMembers members: BoundMembers
  ) throws -> ResolvedExpression {
    guard let place = keys.firstIndex(where: { $0.hasPrefix("@") }) else {
      return .collection(members, rest: keys)
    }
    let name = keys[place]
    let after = Array(keys[(place + 1)...])
    if place == 0, name == "@count" { return .single(.count(members)) }
    if place == 0 {
      // An operator reads its key from every member, whether values are equal or not.
      let inner = entering(members.collection)
      let resolved = try inner.resolve(keys: after, level: members.collection.level)
      guard !after.isEmpty, let element = try resolved.singleValue else {
        throw CoreDataError.badRequest("\(name) must be followed by a key of the members")
      }
      let isDistinct = name == "@distinctUnionOfObjects"
      let values = BoundValues(
        members: members, element: element, isDistinct: isDistinct, keepsNulls: false)
      if isDistinct || name == "@unionOfObjects" { return .values(values) }
      return .single(try operatorValue(name, values, ["self"]))
    }
    let values = try self.values(
      .collection(members, rest: Array(keys[..<place])), NSExpression(forKeyPath: "\(name)"))
    return .single(try operatorValue(name, values, after))
  }

  /// Returns the value of an operator such as `@count` or `@sum`.
  private func operatorValue(
    _ name: Substring, _ values: BoundValues, _ keys: [Substring]
  ) throws -> BoundExpression {
    if name == "@count" { return try statistic(.count, values) }
    let functions: [Substring: PredefinedFunction] = [
      "@sum": .sum, "@avg": .average, "@min": .minimum, "@max": .maximum,
    ]
    guard let function = functions[name] else {
      throw CoreDataError.badRequest("\(name) cannot be used in a fetch request here")
    }
    guard !keys.isEmpty else {
      throw CoreDataError.badRequest("\(name) must be followed by a key, which may be self")
    }
    guard keys.allSatisfy(\.isSelf) else {
      throw CoreDataError.badRequest(
        "\(name) after another key can only be followed by self, not \(keys.joined(separator: "."))"
      )
    }
    return try statistic(function, values)
  }

  /// Returns a property of a value: `name.length`.
  private func keysOfValue(
    _ keys: ArraySlice<Substring>, _ value: BoundExpression
  ) throws -> BoundExpression {
    var result = value
    for key in keys where !key.isSelf {
      let function = BoundFunction(operation: .key(String(key)), argumentKinds: [result.kind])
      guard function.kind != nil else {
        var subject = result.subject
        if case .property(let path) = result {
          subject = "the attribute \(path.end.name).\(subject)"
        }
        throw CoreDataError.badRequest(
          "\(subject) has no property \"\(key)\" that can be used in a fetch request")
      }
      result = .function(function, [result])
    }
    return result
  }

  /// Returns the values of the members of a to-many relationship: as a set, an ordered set, or an array for a
  /// subquery.
  package func values(
    _ resolved: ResolvedExpression, _ expression: NSExpression
  ) throws -> BoundValues {
    switch resolved {
    case .values(let values): return values
    case .collection(let members, let rest):
      let isSubquery = members.condition != nil
      let inner = entering(members.collection)
      guard
        let element = try inner.resolve(keys: rest, level: members.collection.level).singleValue
      else {
        throw CoreDataError.badRequest(
          "only one to-many key is allowed here: \(members.collection.name) in \(expression)")
      }
      return BoundValues(
        members: members, element: element, isDistinct: !isSubquery && !rest.isEmpty,
        keepsNulls: isSubquery || members.collection.isOrdered)
    case .single, .composite, .list:
      throw CoreDataError.badRequest("a to-many key path is required: \(expression)")
    }
  }

  private func subquery(
    _ collection: NSExpression, _ variable: String, _ predicate: NSPredicate,
    _ expression: NSExpression
  ) throws -> BoundMembers {
    guard case .collection(var members, let rest) = try resolve(collection), rest.isEmpty else {
      throw CoreDataError.badRequest(
        "a subquery requires one to-many key path as its collection: \(expression)")
    }
    let condition = try entering(members.collection, variable: variable).bind(predicate)
    members.condition = members.condition.map { .and([$0, condition]) } ?? condition
    return members
  }
}

extension BoundPath {
  /// Returns the keys of a key path. The empty key in `a..b` is the name of no property.
  package static func keys(of path: String) -> [Substring] {
    path.split(separator: ".", omittingEmptySubsequences: false)
  }

  /// The keys of the path.
  fileprivate var keys: [Substring] { isRow ? [] : Self.keys(of: text) }
}
