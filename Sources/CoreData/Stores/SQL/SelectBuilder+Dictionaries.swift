import Foundation
import Predicates

extension SelectBuilder {
  /// The SELECT of a dictionary request.
  mutating func select(_ plan: DictionaryPlan) throws -> SQLText {
    try select(
      plan.rows, distinct: plan.isDistinct,
      tail: { builder, alias in try builder.tail(plan, alias) },
      columns: { builder, _ in
        var pieces: [SQLText] = []
        for column in plan.columns {
          var piece = try builder.sql(column.expression)
          piece += " AS \(SQLText.name(column.name))"
          pieces.append(piece)
        }
        var columns = SQLText()
        columns.append(pieces, separator: ", ")
        return columns
      })
  }

  /// GROUP BY, HAVING and ORDER BY.
  private mutating func tail(_ plan: DictionaryPlan, _ alias: String) throws -> SQLText {
    var tail = SQLText()
    if !plan.groups.isEmpty {
      tail += " GROUP BY "
      var pieces: [SQLText] = []
      for group in plan.groups { pieces.append(try sql(group)) }
      tail.append(pieces, separator: ", ")
      if let having = plan.having {
        tail += " HAVING "
        tail += try self.having(having, plan)
      }
    }
    var keys: [SQLText] = []
    for sort in plan.rows.sorts { keys.append(try orderKey(sort)) }
    // Groups and distinct values have no row of their own that could settle ties.
    if !plan.isAggregate, !plan.isDistinct { keys.append(SQLText("\(alias).Z_PK ASC")) }
    if !keys.isEmpty {
      tail += " ORDER BY "
      tail.append(keys, separator: ", ")
    }
    return tail
  }

  private mutating func sql(_ expression: DictionaryPlan.Expression) throws -> SQLText {
    switch expression {
    case .value(let value): return try sql(value)
    case .aggregate(let aggregate, let argument):
      let function =
        switch aggregate {
        case .count: "COUNT"
        case .sum: dialect.total
        case .average: "avg"
        case .min: "min"
        case .max: "max"
        }
      var text = SQLText("\(function)(")
      text += try sql(argument)
      text += ")"
      return text
    }
  }

  /// A condition on groups: comparisons of the result's columns with constants.
  private mutating func having(
    _ predicate: NSPredicate, _ plan: DictionaryPlan
  ) throws -> SQLText {
    switch predicate.shape {
    case .constant(let value): return SQLText(value ? "1" : "0")
    case .compound(let type, let parts):
      var pieces: [SQLText] = []
      for part in parts { pieces.append(try having(part, plan)) }
      var text = SQLText(type == .not ? "NOT (" : "(")
      text.append(pieces, separator: type == .or ? " OR " : " AND ")
      text += ")"
      return text
    case .comparison(let comparison):
      guard let symbol = Self.symbols[comparison.predicateOperatorType] else {
        throw CoreDataError.badRequest(
          "havingPredicate compares with =, !=, <, <=, > and >= only: \(comparison)")
      }
      var text = try havingOperand(comparison.leftExpression, plan)
      text += " \(symbol) "
      text += try havingOperand(comparison.rightExpression, plan)
      return text
    default:
      throw CoreDataError.badRequest("this havingPredicate cannot be fetched with: \(predicate)")
    }
  }

  private static let symbols: [NSComparisonPredicate.Operator: String] = [
    .equalTo: "=", .notEqualTo: "<>", .lessThan: "<", .lessThanOrEqualTo: "<=",
    .greaterThan: ">", .greaterThanOrEqualTo: ">=",
  ]

  private mutating func havingOperand(
    _ expression: NSExpression, _ plan: DictionaryPlan
  ) throws -> SQLText {
    let binder = PredicateBinder(plan.rows.layout)
    if let constant = try binder.constantValue(expression) {
      var text = SQLText()
      text.bind(try ConstantConversion.natural(constant.value, expression.description))
      return text
    }
    let name: String? =
      switch expression.expressionType {
      case .variable: expression.variable
      case .keyPath: expression.keyPath
      default: nil
      }
    if let name, let column = plan.columns.first(where: { $0.name == name }) {
      return try sql(column.expression)
    }
    if expression.expressionType == .function, let argument = expression.arguments?.first,
      let aggregate = DictionaryPlan.aggregate(named: expression.function),
      case .single(let bound) = try binder.resolve(argument)
    {
      return try sql(.aggregate(aggregate, bound))
    }
    throw CoreDataError.badRequest(
      "havingPredicate: \(expression) is no column of the result")
  }
}
