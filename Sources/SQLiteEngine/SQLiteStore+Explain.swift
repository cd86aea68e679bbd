import Foundation
import StoreEngine

extension SQLiteStore {
  /// The statement of a read: the one that is run, and the one that is explained.
  func sql(_ read: ReadOperation) throws -> SQLText {
    var builder = SelectBuilder(schema: schema, origin: origin, dialect: .sqlite)
    switch read {
    case .rows(let plan):
      return try rowsSQL(plan, .columns)
    case .keys(let plan, let expressions):
      return try builder.select(plan) { builder, alias in
        var text = SQLText("\(alias).Z_PK, \(alias).Z_ENT, \(alias).Z_OPT")
        for expression in expressions {
          text += ", "
          text += try builder.sql(expression)
        }
        return text
      }
    case .count(let plan) where plan.limit > 0 || plan.offset > 0:
      let inner = try builder.select(plan, tail: { _, _ in SQLText() }) { _, _ in SQLText("1") }
      var sql = SQLText("SELECT COUNT(*) FROM (")
      sql += inner
      sql += ")"
      return sql
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

  /// The query for the rows of a plan in a form.
  func rowsSQL(_ plan: RowQuery, _ form: RowForm) throws -> SQLText {
    let decoder = decoder(plan.layout, withValues: plan.fetchesValues)
    var builder = SelectBuilder(schema: schema, origin: origin, dialect: .sqlite)
    return try builder.select(plan) { _, alias in SQLText(decoder.selection(alias, form)) }
  }

  func explain(_ read: ReadOperation) throws -> FetchExplanation {
    let sql = try sql(read)
    var tree = PlanTree()
    try translatingErrors("read") {
      try pool.read { connection in
        let statement = try connection.statement("EXPLAIN QUERY PLAN " + sql.text)
        defer { statement.reset() }
        // SQLite may look at a value to choose an index.
        statement.bind(sql.parameters)
        while try statement.step() {
          tree.add(
            id: Int(statement.integer(0)), parent: Int(statement.integer(1)),
            text: statement.text(3))
        }
      }
    }
    return FetchExplanation(
      store: url.path == "/dev/null" ? nil : url, sql: sql.text,
      parameters: sql.parameters.map(FetchExplanation.Parameter.init), plan: tree.steps)
  }
}
