extension SelectBuilder {
  /// Returns the SELECT of a dictionary request.
  package mutating func select(_ plan: DictionaryQuery) throws -> SQLText {
    try select(
      plan.rows, distinct: plan.isDistinct,
      tail: { builder, alias in try builder.tail(plan, alias) },
      columns: { builder, _ in try builder.columns(plan) })
  }

  private mutating func columns(_ plan: DictionaryQuery) throws -> SQLText {
    let pieces = try plan.columns.map {
      SQLText("", try cell($0.expression), " AS \(dialect.name($0.name))")
    }
    return SQLText(pieces, separator: ", ")
  }

  /// Returns the SELECT of a dictionary request over the rows that were collected from several stores.
  package mutating func selectGathered(_ plan: DictionaryQuery) throws -> SQLText {
    var sql = SQLText(plan.isDistinct ? "SELECT DISTINCT " : "SELECT ")
    sql += try columns(plan)
    sql += " FROM gathered"
    sql += try tail(plan, "gathered")
    sql += limit(plan.rows)
    return sql
  }

  /// Returns the SELECT that counts the dictionaries.
  package mutating func selectCount(_ plan: DictionaryQuery) throws -> SQLText {
    var plan = plan
    // Sorting would cost time and not change the number.
    plan.rows.sorts = []
    return SQLText("SELECT COUNT(*) FROM (", try select(plan), ") AS dictionaries")
  }

  /// Returns the SELECT of some values of a request's rows, or of its groups.
  package mutating func select(
    _ expressions: [BoundExpression], of plan: DictionaryQuery, isGrouped: Bool
  ) throws -> SQLText {
    try select(
      plan.rows,
      tail: { builder, alias in
        guard isGrouped else {
          var keys = try plan.rows.sorts.map { try builder.orderKey($0) }
          keys.append(builder.dialect.orderTerm(SQLText(builder.key(alias)), ascending: true))
          return SQLText(" ORDER BY ", SQLText(keys, separator: ", "), "")
        }
        return try builder.grouping(plan)
      },
      columns: { builder, _ in
        // A SELECT needs at least one column.
        if expressions.isEmpty { return SQLText("1") }
        return SQLText(try expressions.map { try builder.cell($0) }, separator: ", ")
      })
  }

  /// Returns `GROUP BY …` if the request has groups.
  private mutating func grouping(_ plan: DictionaryQuery) throws -> SQLText {
    if plan.groups.isEmpty { return SQLText() }
    let groups = try plan.groups.map { try cell($0) }
    return SQLText(" GROUP BY ", SQLText(groups, separator: ", "), "")
  }

  /// Returns GROUP BY, HAVING and ORDER BY.
  package mutating func tail(_ plan: DictionaryQuery, _ alias: String) throws -> SQLText {
    var tail = try grouping(plan)
    if !plan.groups.isEmpty, let having = plan.having {
      tail += " HAVING "
      tail += try sql(having).withFewParameters(dialect)
    }
    var keys = try plan.rows.sorts.map { try orderKey($0) }
    // Groups and distinct values have no row key that could break ties.
    if !plan.isAggregate, !plan.isDistinct {
      keys.append(dialect.orderTerm(SQLText(key(alias)), ascending: true))
    }
    if !keys.isEmpty {
      tail += " ORDER BY "
      tail.append(keys, separator: ", ")
    }
    return tail
  }
}
