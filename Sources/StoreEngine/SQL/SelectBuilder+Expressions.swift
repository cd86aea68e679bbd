extension SelectBuilder {
  /// Returns the SQL of an expression that has one value.
  package mutating func sql(_ expression: BoundExpression) throws -> SQLText {
    if let gathered, let value = gathered.value(of: expression) {
      guard expression.isDecimalAttribute else { return value }
      return SQLText(try number(ofExact: value.text))
    }
    switch expression {
    case .constant(let value, _): return parameter(value)
    case .property(let path): return SQLText(try sql(path))
    case .count(let members):
      return SQLText("(", try self.members(members) { _, _ in SQLText("COUNT(*)") }, ")")
    case .statistic(let function, let values): return try statistic(function, values)
    case .arithmetic(let operation, let left, let right):
      // SQLite uses an index on an expression only if the statement contains the same expression,
      // without parameters (sqlite.org/expridx.html).
      if left.isConstant || right.isConstant, let text = try indexedText(expression) {
        return text
      }
      return try dialect.arithmetic(operation, sql(left), sql(right))
        .pushedDown("numbers with \(operation.rawValue)")
    case .function(let function, let arguments) where function.isByteCount:
      return dialect.byteCount(try sql(arguments[0]))
    case .function(let function, let arguments):
      var texts: [SQLText] = []
      for argument in arguments { texts.append(try cell(argument)) }
      return try dialect.function(function, texts).pushedDown("the function \(function.name)")
    case .random(let limit):
      let text = try limit.map { try sql($0) }
      return try dialect.random(below: text, limit?.kind ?? .double).pushedDown("random numbers")
    case .conditional(let predicate, let first, let second):
      let condition = try sql(predicate)
      let choices = SQLText([try sql(first), try sql(second)], separator: " ELSE ")
      return SQLText("(CASE WHEN ", condition, " THEN ", choices, " END)")
    case .element(let members, let position, let element):
      return try self.element(members, position, element)
    case .groupAggregate(let function, let argument): return try group(function, argument)
    case .entity(let path), .entityName(let path): return try entityName(path)
    }
  }

  /// Returns the SQL of an expression with its constants as literals, if a fetch index begins with it; otherwise nil.
  private mutating func indexedText(_ expression: BoundExpression) throws -> SQLText? {
    guard let layout = fetchedLayout, IndexedExpression.isIndexed(expression, of: layout) else {
      return nil
    }
    return try IndexedExpression.sql(expression, dialect) { try sql($0) }
  }

  /// Returns the SQL of an expression that is a result or an argument. For a decimal attribute, this is the column
  /// itself, which may contain more digits than a double.
  package mutating func cell(_ expression: BoundExpression) throws -> SQLText {
    guard expression.isDecimalAttribute else { return try sql(expression) }
    if let gathered, let value = gathered.value(of: expression) { return value }
    guard schema.keepsExactDecimals, case .property(let path) = expression,
      case .attribute(let slot) = path.terminal,
      case .attribute(let column) = schema.mapping(path.end, slot)
    else { return try sql(expression) }
    return SQLText("\(try alias(path)).\(dialect.name(column))")
  }

  /// Returns the SQL of an aggregate function over the rows of a group.
  private mutating func group(
    _ function: PredefinedFunction, _ argument: BoundExpression
  ) throws -> SQLText {
    switch function {
    case .count, .sum, .average, .minimum, .maximum, .median, .standardDeviation: break
    default:
      throw CoreDataError.badRequest(
        "the function \(function.rawValue) is not supported for groups")
    }
    return try dialect.aggregate(function, sql(argument), argument.kind)
      .pushedDown("\(function.rawValue) of a group")
  }

  /// Returns the SQL of the name of the entity of the object at the end of a path.
  private mutating func entityName(_ path: BoundPath) throws -> SQLText {
    let alias = try alias(path)
    let names = path.end.family.compactMap { layout in
      schema.numbers[layout.index].map { "WHEN \($0) THEN \(dialect.literal(.text(layout.name)))" }
    }
    // CASE without WHEN is a syntax error.
    if names.isEmpty { return SQLText("NULL") }
    return SQLText("CASE \(entity(alias)) \(names.joined(separator: " ")) END")
  }

  // MARK: Members

  /// Returns `SELECT <result> FROM <matching members>`.
  private mutating func members(
    _ members: BoundMembers, _ result: (inout SelectBuilder, String) throws -> SQLText
  ) throws -> SQLText {
    try self.members(members.collection) { builder, alias in
      (try result(&builder, alias), try members.condition.map { try builder.sql($0) })
    }
  }

  /// Returns `SELECT <result> FROM <values>`, where the result is computed from the SQL of a value.
  package mutating func values(
    _ values: BoundValues, _ result: (SQLText) throws -> SQLText
  ) throws -> SQLText {
    guard values.isDistinct else {
      return try members(values.members) { builder, _ in
        try result(try builder.sql(values.element))
      }
    }
    // SQLite allows DISTINCT only in aggregate functions with one argument
    // (sqlite.org/lang_aggfunc.html), and the library's own aggregate functions have two.
    let distinct = try members(values.members) { builder, _ in
      SQLText("DISTINCT ", try builder.sql(values.element), " AS v")
    }
    return try SQLText(
      "SELECT ", result(SQLText("v")), " FROM (", distinct, ") AS distinct_values")
  }

  private mutating func statistic(
    _ function: PredefinedFunction, _ values: BoundValues
  ) throws -> SQLText {
    let kind = values.element.kind
    // Copy the dialect, because the builder is modified while it calls the closure.
    let dialect = dialect
    let selection = try self.values(values) { value in
      if function == .count, values.keepsNulls { return SQLText("COUNT(*)") }
      return try dialect.statistic(function, value, kind)
        .pushedDown("\(function.rawValue) of members")
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
