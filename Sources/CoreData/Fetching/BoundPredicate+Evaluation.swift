import Foundation
import Predicates

extension BoundPredicate {
  /// Whether an object is a member, by its state in memory; nil stands for SQL's unknown.
  ///
  /// - Parameter scopes: the object, then the members of the enclosing to-many relationships.
  /// - Throws: what reading a relationship from the store throws.
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
    case .among(let expression, let values):
      let value = try expression.value(scopes)
      if value.isNull { return values.isEmpty ? false : nil }
      return values.contains { StoredValue.order(value, $0) == 0 }
    case .between(let expression, let low, let high):
      let value = try expression.value(scopes)
      let above = StoredValue.order(value, try low.value(scopes)).map { $0 >= 0 }
      let below = StoredValue.order(value, try high.value(scopes)).map { $0 <= 0 }
      if above == false || below == false { return false }
      return above == nil || below == nil ? nil : true
    case .match(let expression, let pattern):
      return try expression.value(scopes).matchedText.map(pattern.matcher.matches)
    case .matchValues(let left, let type, let right, let options):
      guard let text = try left.value(scopes).matchedText,
        let pattern = try right.value(scopes).matchedText
      else { return nil }
      return try StringMatcher(type, options: options, pattern: pattern).matches(text)
    case .exists(let collection, let predicate):
      for member in try collection.members(scopes) {
        if try predicate.truth(scopes + [member]) == true { return true }
      }
      return false
    case .isKind(let path, let layouts):
      guard let object = try path.owner(scopes) else { return nil }
      return layouts.contains { object.layout.isKind(of: $0) }
    }
  }
}

extension BoundExpression {
  /// The value for an object in memory.
  func value(_ scopes: [NSManagedObject]) throws -> StoredValue {
    switch self {
    case .constant(let value): return value
    case .property(let path): return try path.value(scopes)
    case .count(let collection): return .integer(Int64(try collection.members(scopes).count))
    case .subqueryCount(let collection, let predicate):
      let members = try collection.members(scopes)
      return .integer(
        Int64(try members.count { try predicate.truth(scopes + [$0]) == true }))
    case .aggregate(let aggregate, let collection, let path):
      let values = try collection.members(scopes).map { try path.value(scopes + [$0]) }
        .filter { !$0.isNull }
      return aggregate.value(of: values)
    case .arithmetic(let operation, let left, let right):
      return operation.value(try left.value(scopes), try right.value(scopes))
    case .function(let function, let argument):
      return function.value(try argument.value(scopes))
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

extension StoredValue {
  /// The text that string operators look at.
  var matchedText: String? {
    switch self {
    case .text(let text): text
    case .uri(let uri): uri.absoluteString
    case .integer(let value): String(value)
    case .double(let value): String(value)
    case .decimal(let value): value.stringValue
    default: nil
    }
  }
}

extension BoundExpression.Aggregate {
  /// What SQLite's `total`, `avg`, `min` and `max` give; of nothing: 0 for a sum, else NULL.
  func value(of values: [StoredValue]) -> StoredValue {
    switch self {
    case .sum:
      return .double(values.reduce(0) { $0 + ($1.number ?? 0) })
    case .avg:
      if values.isEmpty { return .null }
      return .double(values.reduce(0) { $0 + ($1.number ?? 0) } / Double(values.count))
    case .min: return values.min { (StoredValue.order($0, $1) ?? 0) < 0 } ?? .null
    case .max: return values.max { (StoredValue.order($0, $1) ?? 0) < 0 } ?? .null
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
        case .divide: b == 0 ? (0, true) : a.dividedReportingOverflow(by: b)
        }
      if !overflow { return .integer(result) }
      if self == .divide && b == 0 { return .null }
    }
    guard let a = left.number, let b = right.number else { return .null }
    switch self {
    case .add: return .double(a + b)
    case .subtract: return .double(a - b)
    case .multiply: return .double(a * b)
    case .divide: return b == 0 ? .null : .double(a / b)
    }
  }
}

extension BoundExpression.ScalarFunction {
  func value(_ argument: StoredValue) -> StoredValue {
    switch self {
    case .uppercase: return argument.matchedText.map { .text($0.uppercased()) } ?? .null
    case .lowercase: return argument.matchedText.map { .text($0.lowercased()) } ?? .null
    case .length:
      return argument.matchedText.map { .integer(Int64($0.utf16.count)) } ?? .null
    case .abs:
      switch argument {
      case .integer(let value): return .integer(value.magnitude > Int64.max ? .max : Swift.abs(value))
      default: return argument.number.map { .double(Swift.abs($0)) } ?? .null
      }
    }
  }
}
