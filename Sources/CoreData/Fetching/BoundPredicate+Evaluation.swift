import Foundation
import Predicates

extension BoundPredicate {
  /// Whether an object is a member, by its state in memory; nil stands for SQL's unknown.
  ///
  /// - Parameter scopes: the object, then the members of the enclosing to-many relationships.
  /// - Throws: what reading a relationship from the store throws, and what a function throws.
  func truth(_ scopes: [NSManagedObject]) throws -> Bool? {
    switch self {
    case .value(let value): return value
    case .and(let parts):
      var unknown = false
      for part in parts {
        guard let truth = try part.truth(scopes) else {
          unknown = true
          continue
        }
        if !truth { return false }
      }
      return unknown ? nil : true
    case .or(let parts):
      var unknown = false
      for part in parts {
        guard let truth = try part.truth(scopes) else {
          unknown = true
          continue
        }
        if truth { return true }
      }
      return unknown ? nil : false
    case .not(let part): return try part.truth(scopes).map { !$0 }
    case .isTrue(let part): return try part.truth(scopes) == true
    case .isNull(let expression): return try expression.value(scopes).isNull
    case .compare(let left, let comparison, let right):
      return StoredValue.order(try left.value(scopes), try right.value(scopes))
        .map(comparison.holds)
    case .identical(let left, let right):
      let a = try left.value(scopes)
      let b = try right.value(scopes)
      return a.isNull || b.isNull ? a.isNull && b.isNull : StoredValue.order(a, b) == 0
    case .among(let expression, let values):
      let value = try expression.value(scopes)
      if value.isNull { return nil }
      return values.contains { StoredValue.order(value, $0) == 0 }
    case .between(let expression, let low, let high):
      let value = try expression.value(scopes)
      let above = StoredValue.order(value, try low.value(scopes)).map { $0 >= 0 }
      let below = StoredValue.order(value, try high.value(scopes)).map { $0 <= 0 }
      if above == false || below == false { return false }
      return above == nil || below == nil ? nil : true
    case .match(let expression, let pattern):
      return try expression.value(scopes).matchedText.map { try pattern.matcher.matches($0) }
    case .matchValues(let left, let type, let right, let options):
      guard let text = try left.value(scopes).matchedText,
        let pattern = try right.value(scopes).matchedText
      else { return nil }
      return try StringMatcher(type, options: options, pattern: pattern).matches(text)
    case .exists(let collection, let predicate):
      for member in try collection.members(scopes) {
        if try predicate.truth(scopes.prefix(collection.level) + [member]) == true { return true }
      }
      return false
    case .isMode(let expression, let values):
      let value = try expression.value(scopes)
      return try values.statistic(.mode, scopes).modes()
        .contains { StoredValue.order(value, StoredValue($0)) == 0 }
    case .isEntity(let path, let layouts):
      guard let object = try path.owner(scopes) else { return nil }
      return layouts.contains { $0 === object.layout }
    }
  }
}

extension BoundExpression {
  /// The value for an object in memory.
  func value(_ scopes: [NSManagedObject]) throws -> StoredValue {
    switch self {
    case .constant(let value, _): return value
    case .property(let path): return try path.value(scopes)
    case .count(let members): return .integer(Int64(try members.objects(scopes).count))
    case .statistic(let function, let values):
      return StoredValue(try values.statistic(function, scopes).result())
    case .arithmetic(let operation, let left, let right):
      return operation.value(try left.value(scopes), try right.value(scopes))
    case .function(let function, let arguments):
      return try function.value(try arguments.map { try $0.value(scopes) })
    case .random(let limit):
      return StoredValue(
        try RandomNumber.next(below: limit.map { $0.kind.scalar(try $0.value(scopes)) }))
    case .conditional(let predicate, let first, let second):
      return try (predicate.truth(scopes) == true ? first : second).value(scopes)
    case .element(let members, let position, let element):
      let objects = try members.objects(scopes)
      let place =
        switch position {
        case .first(let offset): Int(clamping: offset)
        case .last: objects.count - 1
        }
      guard objects.indices.contains(place) else { return .null }
      return try element.value(scopes.prefix(members.collection.level) + [objects[place]])
    case .groupAggregate:
      throw CoreDataError.badRequest("a function of a group has no value for one object")
    }
  }
}

extension BoundPath {
  /// The object at the end of the to-one steps; nil when a step leads nowhere.
  func owner(_ scopes: [NSManagedObject]) throws -> NSManagedObject? {
    var object = scopes[level]
    for step in steps {
      guard let next = try object.toOneObject(step) else { return nil }
      object = next
    }
    return object
  }

  func value(_ scopes: [NSManagedObject]) throws -> StoredValue {
    guard let object = try owner(scopes) else { return .null }
    switch terminal {
    case .attribute(let slot): return try object.storedValue(slot)
    case .reference(let slot): return try object.toOneID(slot).map(StoredValue.reference) ?? .null
    case .object: return .reference(object.objectID)
    }
  }
}

extension BoundCollection {
  func members(_ scopes: [NSManagedObject]) throws -> [NSManagedObject] {
    guard let object = try owner.owner(scopes) else { return [] }
    return try object.toManyObjects(slot)
  }
}

extension BoundMembers {
  func objects(_ scopes: [NSManagedObject]) throws -> [NSManagedObject] {
    let all = try collection.members(scopes)
    guard let condition else { return all }
    return try all.filter {
      try condition.truth(scopes.prefix(collection.level) + [$0]) == true
    }
  }
}

extension BoundValues {
  /// A function fed with the values.
  func statistic(
    _ function: PredefinedFunction, _ scopes: [NSManagedObject]
  ) throws -> Statistic {
    var statistic = Statistic(function, nilRule: .store)
    var seen: [StoredValue] = []
    for object in try members.objects(scopes) {
      let value = try element.value(scopes.prefix(members.collection.level) + [object])
      if value.isNull && !keepsNulls { continue }
      if isDistinct {
        if seen.contains(where: { StoredValue.rowOrder($0, value) == 0 }) { continue }
        seen.append(value)
      }
      try statistic.add(element.kind.scalar(value))
    }
    return statistic
  }
}

extension StoredValue {
  /// The text that string operators look at.
  var matchedText: String? {
    switch self {
    case .text(let text): text
    case .uri(let uri): uri.absoluteString
    default: nil
    }
  }
}

extension BoundExpression.Arithmetic {
  /// Integers stay integers where SQLite keeps them; a result out of range becomes a double.
  func value(_ left: StoredValue, _ right: StoredValue) -> StoredValue {
    if case .integer(let a) = left, case .integer(let b) = right {
      let (result, overflow): (Int64, Bool) =
        switch self {
        case .add: a.addingReportingOverflow(b)
        case .subtract: a.subtractingReportingOverflow(b)
        case .multiply: a.multipliedReportingOverflow(by: b)
        }
      if !overflow { return .integer(result) }
    }
    guard let a = left.number, let b = right.number else { return .null }
    let result =
      switch self {
      case .add: a + b
      case .subtract: a - b
      case .multiply: a * b
      }
    return result.isNaN ? .null : .double(result)
  }
}

/// The functions `random` and `randomn:`.
enum RandomNumber {
  static func next(below limit: Scalar?) throws -> Scalar {
    guard let limit else { return .integer(Int64.random(in: 0...Int64(Int32.max))) }
    if limit.isNull { return .null }
    guard let limit = limit.integerValue, limit > 0 else {
      throw CoreDataError.badRequest("randomn: needs a number above 0")
    }
    return .integer(Int64.random(in: 0..<limit))
  }
}
