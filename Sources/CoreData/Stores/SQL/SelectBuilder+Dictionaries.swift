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
          var piece = try builder.cell(column.expression)
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
      for group in plan.groups { pieces.append(try cell(group)) }
      tail.append(pieces, separator: ", ")
      if let having = plan.having {
        tail += " HAVING "
        tail += try sql(having)
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
}
