import Foundation
import Predicates

extension SelectBuilder {
  /// Lists up to this long are parameters; longer ones go as one JSON text.
  private static let parameterListLimit = 100

  /// A predicate as a condition; every part that could be ambiguous is in parentheses.
  mutating func sql(_ predicate: BoundPredicate) throws -> SQLText {
    switch predicate {
    case .value(let value): return SQLText(value ? "1" : "0")
    case .and(let parts): return try list(parts, " AND ", empty: "1")
    case .or(let parts): return try list(parts, " OR ", empty: "0")
    case .not(.isNull(let expression)): return try wrap("", sql(expression), " IS NOT NULL")
    case .not(let part): return try wrap("NOT (", sql(part), ")")
    case .isTrue(let part): return try wrap("((", sql(part), ") IS TRUE)")
    case .isNull(let expression): return try wrap("", sql(expression), " IS NULL")
    case .compare(let left, let comparison, let right):
      var text = try sql(left)
      text += " \(comparison.rawValue) "
      text += try sql(right)
      return text
    case .among(let expression, let values): return try among(expression, values)
    case .between(let value, let low, let high):
      var text = try wrap("(", sql(value), " BETWEEN ")
      text += try sql(low)
      text += " AND "
      text += try sql(high)
      text += ")"
      return text
    case .match(let expression, let pattern):
      return try match(
        sql(expression), pattern.type, pattern.options, self.pattern(pattern.pattern))
    case .matchValues(let left, let type, let right, let options):
      return try match(sql(left), type, options, sql(right))
    case .exists(let collection, let inner):
      let members = try members(collection) { builder, _ in
        (SQLText("1"), try builder.sql(inner))
      }
      return wrap("EXISTS (", members, ")")
    case .isKind(let path, let layouts):
      let alias = try alias(path)
      let numbers = Set(layouts.flatMap(\.family).compactMap { schema.numbers[$0.index] }).sorted()
      return SQLText("\(alias).Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))")
    }
  }

  private func pattern(_ pattern: String) -> SQLText {
    var text = SQLText()
    text.bind(.text(pattern))
    return text
  }

  private func match(
    _ text: SQLText, _ type: NSComparisonPredicate.Operator,
    _ options: NSComparisonPredicate.Options, _ pattern: SQLText
  ) -> SQLText {
    var sql = SQLText("\(dialect.match)(")
    sql += text
    sql += ", \(type.rawValue), \(options.rawValue), "
    sql += pattern
    sql += ")"
    return sql
  }

  private mutating func list(
    _ parts: [BoundPredicate], _ separator: String, empty: String
  ) throws -> SQLText {
    if parts.isEmpty { return SQLText(empty) }
    var pieces: [SQLText] = []
    for part in parts { pieces.append(try sql(part)) }
    var text = SQLText("(")
    text.append(pieces, separator: separator)
    text += ")"
    return text
  }

  private mutating func among(
    _ expression: BoundExpression, _ values: [StoredValue]
  ) throws -> SQLText {
    if values.isEmpty { return SQLText("0") }
    var text = try sql(expression)
    text += " IN ("
    if values.count > Self.parameterListLimit, let json = JSONList.text(of: values) {
      text += "SELECT value FROM json_each("
      text.bind(.text(json))
      text += ")"
    } else {
      for (index, value) in values.enumerated() {
        if index > 0 { text += ", " }
        text.bind(value)
      }
    }
    text += ")"
    return text
  }

  mutating func sql(_ expression: BoundExpression) throws -> SQLText {
    switch expression {
    case .constant(let value):
      var text = SQLText()
      text.bind(value)
      return text
    case .property(let path): return SQLText(try sql(path))
    case .count(let collection):
      return wrap("(", try members(collection) { _, _ in (SQLText("COUNT(*)"), nil) }, ")")
    case .subqueryCount(let collection, let inner):
      let members = try members(collection) { builder, _ in
        (SQLText("COUNT(*)"), try builder.sql(inner))
      }
      return wrap("(", members, ")")
    case .aggregate(let aggregate, let collection, let path):
      let function =
        switch aggregate {
        case .sum: dialect.total
        case .avg, .min, .max: aggregate.rawValue
        }
      let members = try members(collection) { builder, _ in
        (SQLText("\(function)(\(try builder.sql(path)))"), nil)
      }
      return wrap("(", members, ")")
    case .arithmetic(let operation, let left, let right):
      var text = wrap("(", try sql(left), " \(operation.rawValue) ")
      text += try sql(right)
      text += ")"
      return text
    case .function(let function, let argument):
      let name =
        switch function {
        case .uppercase: dialect.uppercase
        case .lowercase: dialect.lowercase
        case .length: dialect.length
        case .abs: "abs"
        }
      return wrap("\(name)(", try sql(argument), ")")
    }
  }

  private func wrap(_ before: String, _ inner: SQLText, _ after: String) -> SQLText {
    var text = SQLText(before)
    text += inner
    text += after
    return text
  }
}

/// Values as one JSON array, for lists too long to be parameters.
enum JSONList {
  /// The array, or nil when a value has no exact JSON form.
  static func text(of values: [StoredValue]) -> String? {
    var items: [String] = []
    items.reserveCapacity(values.count)
    for value in values {
      switch value {
      case .integer(let number): items.append(String(number))
      case .reference(let id): items.append(String(id.key))
      case .text(let text):
        guard let data = try? JSONEncoder().encode(text) else { return nil }
        items.append(String(decoding: data, as: UTF8.self))
      default: return nil
      }
    }
    return "[" + items.joined(separator: ",") + "]"
  }
}
