import StoreEngine

extension SQLiteStore {
  /// Returns the statement of a read, for running or explaining it.
  func sql(_ read: ReadOperation) throws -> SQLText {
    var builder = SelectBuilder(schema: schema, origin: origin, dialect: dialect)
    switch read {
    case .rows(let plan):
      return try rowsSQL(plan, .columns)
    case .keys(let plan, let expressions):
      return try builder.select(plan) { builder, alias in
        let own = builder.schema.own.names.map { SQLText("\(alias).\($0)") }
        let values = try expressions.map { try builder.sql($0) }
        return SQLText(own + values, separator: ", ")
      }
    case .count(let plan) where plan.limit > 0 || plan.offset > 0:
      let rows = try builder.select(plan, tail: { _, _ in SQLText() }) { _, _ in SQLText("1") }
      return SQLText("SELECT COUNT(*) FROM (", rows, ")")
    case .count(let plan):
      return try builder.select(plan, tail: { _, _ in SQLText() }) { _, _ in
        SQLText("COUNT(*)")
      }
    case .dictionaries(let plan): return try builder.select(plan)
    case .dictionaryCount(let plan): return try builder.selectCount(plan)
    case .values(let expressions, let plan, let isGrouped):
      return try builder.select(expressions, of: plan, isGrouped: isGrouped)
    }
  }
}
