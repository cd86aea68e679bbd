import Foundation
package import Predicates

extension SelectBuilder {
  /// An expression as one value.
  package mutating func sql(_ expression: BoundExpression) throws -> SQLText {
    if let gathered, let value = gathered.value(of: expression) { return value }
    switch expression {
    case .constant(let value, _): return parameter(value)
    case .property(let path): return SQLText(try sql(path))
    case .count(let members):
      return SQLText("(", try self.members(members) { _, _ in SQLText("COUNT(*)") }, ")")
    case .statistic(let function, let values): return try statistic(function, values)
    case .arithmetic(let operation, let left, let right):
      if left.isConstant || right.isConstant, let text = try indexedText(expression) {
        return SQLText(text)
      }
      var text = SQLText("(", try sql(left), " \(operation.rawValue) ")
      text += try sql(right)
      text += ")"
      return text
    case .function(let function, let arguments) where function.isByteCount:
      // SQLite tells it without reading the bytes.
      return SQLText("length(", try sql(arguments[0]), ")")
    case .function(let function, let arguments):
      var text = SQLText("\(SQLFunctionNames.function)('\(function.name)'")
      for argument in arguments {
        text += ", "
        text += try cell(argument)
      }
      text += ")"
      return text
    case .random(let limit):
      guard let limit else { return SQLText("\(SQLFunctionNames.random)()") }
      return SQLText("\(SQLFunctionNames.random)('\(limit.kind.letter)', ", try sql(limit), ")")
    case .conditional(let predicate, let first, let second):
      var text = SQLText("CASE WHEN ", try sql(predicate), " THEN ")
      text += try sql(first)
      text += " ELSE "
      text += try sql(second)
      text += " END"
      return SQLText("(", text, ")")
    case .element(let members, let position, let element):
      return try self.element(members, position, element)
    case .groupAggregate(let function, let argument): return try group(function, argument)
    case .entity(let path), .entityName(let path): return try entityName(path)
    }
  }

  /// An expression with its constants in the text, where a fetch index has it so; nil elsewhere.
  private mutating func indexedText(_ expression: BoundExpression) throws -> String? {
    guard let layout = fetchedLayout, IndexedExpression.isIndexed(expression, of: layout) else {
      return nil
    }
    return try IndexedExpression.sql(expression) { try sql($0) }
  }

  /// An expression as a result or an argument: of a property the cell itself, which has all digits of a decimal.
  package mutating func cell(_ expression: BoundExpression) throws -> SQLText {
    guard case .property(let path) = expression, case .attribute(let slot) = path.terminal,
      schema.keepsExactDecimals, path.end.slots[slot].storage == .decimal,
      case .attribute(let column) = schema.mapping(path.end, slot)
    else { return try sql(expression) }
    return SQLText("\(try alias(path)).\(SQLText.name(column))")
  }

  /// A function over the rows of a group: the database's own, or ours where it has none.
  private mutating func group(
    _ function: PredefinedFunction, _ argument: BoundExpression
  ) throws -> SQLText {
    let name =
      switch function {
      case .count: "COUNT("
      case .sum: "total("
      case .average: "avg("
      case .minimum: "min("
      case .maximum: "max("
      case .median, .standardDeviation:
        "\(SQLFunctionNames.statistic(function))('\(argument.kind.letter)', "
      default: throw CoreDataError.badRequest("\(function.rawValue) of a group cannot be fetched")
      }
    return SQLText(name, try sql(argument), ")")
  }

  /// The name of the entity of the object in which a path ends.
  private mutating func entityName(_ path: BoundPath) throws -> SQLText {
    let alias = try alias(path)
    let names = path.end.family.compactMap { layout in
      schema.numbers[layout.index].map { "WHEN \($0) THEN \(SQLText.literal(.text(layout.name)))" }
    }
    if names.isEmpty { return SQLText("NULL") }
    return SQLText("CASE \(alias).Z_ENT \(names.joined(separator: " ")) END")
  }

  // MARK: Members

  /// `SELECT <result> FROM <the members that pass>`.
  private mutating func members(
    _ members: BoundMembers, _ result: (inout SelectBuilder, String) throws -> SQLText
  ) throws -> SQLText {
    try self.members(members.collection) { builder, alias in
      (
        try result(&builder, alias), try members.condition.map { try builder.sql($0) }
      )
    }
  }

  /// `SELECT <result> FROM <the values>`, the result made of a value's text.
  package mutating func values(
    _ values: BoundValues, _ result: (SQLText) -> SQLText
  ) throws -> SQLText {
    guard values.isDistinct else {
      return try members(values.members) { builder, _ in result(try builder.sql(values.element)) }
    }
    let distinct = try members(values.members) { builder, _ in
      var text = SQLText("DISTINCT ")
      text += try builder.sql(values.element)
      text += " AS v"
      return text
    }
    var text = SQLText("SELECT ")
    text += result(SQLText("v"))
    text += SQLText(" FROM (", distinct, ")")
    return text
  }

  private mutating func statistic(
    _ function: PredefinedFunction, _ values: BoundValues
  ) throws -> SQLText {
    let letter = values.element.kind.letter
    let selection = try self.values(values) { value in
      switch function {
      case .count where values.keepsNulls: return SQLText("COUNT(*)")
      case .count: return SQLText("COUNT(", value, ")")
      case .minimum: return SQLText("min(", value, ")")
      case .maximum: return SQLText("max(", value, ")")
      default:
        return SQLText("\(SQLFunctionNames.statistic(function))('\(letter)', ", value, ")")
      }
    }
    return SQLText("(", selection, ")")
  }

  private mutating func element(
    _ members: BoundMembers, _ position: BoundExpression.Position, _ element: BoundExpression
  ) throws -> SQLText {
    let collection = members.collection
    var order: [String]?
    var selection = try self.members(collection) { builder, alias in
      order = builder.memberOrder(collection, alias)
      return (try builder.sql(element), try members.condition.map { try builder.sql($0) })
    }
    guard let order else { throw notStored(collection.owner.end, collection.slot) }
    switch position {
    case .first(let offset):
      selection += " ORDER BY \(order.joined(separator: ", ")) LIMIT 1 OFFSET "
      selection.bind(.integer(offset))
    case .last:
      selection += " ORDER BY \(order.map { $0 + " DESC" }.joined(separator: ", ")) LIMIT 1"
    }
    return SQLText("(", selection, ")")
  }
}

/// The functions that this library gives to the database.
package enum SQLFunctionNames {
  /// `f(text, operator, options, pattern)`
  package static let match = "CoreDataMatch"
  /// The bytes that order a text: `f(text)`.
  package static func order(_ comparison: StringComparison) -> String {
    "CoreDataOrder_\(comparison)"
  }
  /// `f(name, arguments…)`, the name as in ``BoundFunction/name``.
  package static let function = "CoreDataFunction"
  package static let random = "CoreDataRandom"
  /// Takes the values of a row: see ``RowReceiver``.
  package static let row = "CoreDataRow"
  /// An aggregate: `f(kind, value, member's value)`.
  package static let isMode = "CoreDataIsMode"
  /// The number of a decimal's cell, which may hold its digits: see ``StoreSchema/keepsExactDecimals``.
  package static let number = "CoreDataNumber"
  /// A text as options of comparisons see it, in bytes: `f(text, options)`.
  package static let folded = "CoreDataFolded"
  /// Its argument: a constant of a long condition.
  package static let literal = "CoreDataLiteral"
  /// The value of a text that ``ValueList`` made.
  package static let decoded = "CoreDataDecoded"

  package static let statistics: [PredefinedFunction] = [
    .sum, .average, .median, .standardDeviation,
  ]

  /// An aggregate: `f(kind, value)`.
  package static func statistic(_ function: PredefinedFunction) -> String {
    "CoreData_\(function)"
  }
}
