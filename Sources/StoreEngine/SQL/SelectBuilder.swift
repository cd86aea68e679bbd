/// Writes the SELECT statement of a query.
///
/// Each level of the query (the fetched rows, and the members of each to-many relationship) is a scope: a table with an
/// alias, and a join for every to-one path that an expression reads. The joins are collected while the columns,
/// conditions and order are written, so FROM is written last.
package struct SelectBuilder {
  package let schema: StoreSchema
  /// The origin of the store that executes the statement.
  package let origin: StoreOrigin
  package let dialect: any SQLDialect
  /// The columns of the table that collects values of several stores; nil for a statement that reads one store's rows.
  package let gathered: GatheredColumns?
  private var scopes: [Scope] = []
  private var aliasCount = 0

  private struct Scope {
    let level: Int
    let alias: String
    let layout: EntityLayout
    var joins: [(steps: [Int], alias: String)] = []
    var joinText = ""
  }

  package init(
    schema: StoreSchema, origin: StoreOrigin, dialect: any SQLDialect,
    gathered: GatheredColumns? = nil
  ) {
    self.gathered = gathered
    self.schema = schema
    self.origin = origin
    self.dialect = dialect
  }

  /// Returns a constant in the form in which this store contains it. An object of another store becomes a key that no
  /// row has.
  package func stored(_ value: StoredValue) -> StoredValue {
    if let gathered { return gathered.stored(value) }
    // IDs of other coordinators that have the same store open were translated when the request was bound.
    guard case .reference(let id) = value, id.origin !== origin else { return value }
    // Primary keys begin at 1.
    return .integer(0)
  }

  /// Returns `SELECT <columns> FROM … WHERE … ORDER BY … LIMIT …`.
  ///
  /// - Parameters:
  ///   - tail: Writes the part between WHERE and LIMIT, instead of the query's order.
  ///   - columns: Writes the result columns. Its second argument is the alias of the fetched table.
  package mutating func select(
    _ plan: RowQuery, distinct: Bool = false,
    tail: ((inout SelectBuilder, String) throws -> SQLText)? = nil,
    columns: (inout SelectBuilder, String) throws -> SQLText
  ) throws -> SQLText {
    let alias = push(plan.layout, level: 0)
    // Columns, conditions and order are written before FROM, because each of them may add joins.
    let result = try columns(&self, alias)
    let condition = try condition(plan, alias)
    let order = try tail.map { try $0(&self, alias) } ?? order(plan, alias)
    // The parameters must be in the order of their question marks. Joins have no parameters.
    var sql = SQLText(distinct ? "SELECT DISTINCT " : "SELECT ")
    sql += result
    sql += " FROM \(try schema.source(plan.layout)) \(alias)" + scopes[0].joinText
    if !condition.text.isEmpty {
      sql += " WHERE "
      sql += condition
    }
    sql += order
    sql += limit(plan)
    scopes.removeAll()
    return sql
  }

  /// Returns ` LIMIT … OFFSET …` if the query has a limit or an offset; otherwise an empty text.
  package func limit(_ plan: RowQuery) -> SQLText {
    guard plan.limit > 0 || plan.offset > 0 else { return SQLText() }
    return dialect.limit(plan.limit > 0 ? plan.limit : nil, offset: plan.offset)
  }

  private mutating func condition(_ plan: RowQuery, _ alias: String) throws -> SQLText {
    var parts: [SQLText] = []
    try schema.requireDistinct(plan.layouts, root: plan.layout.root)
    if let numbers = schema.entityFilter(plan.layouts, root: plan.layout.root) {
      let column = entity(alias)
      let entity = IndexAdvice(plan).hidesEntity ? dialect.withoutIndex(column) : column
      parts.append(SQLText("\(entity) IN (\(numbers.map(String.init).joined(separator: ", ")))"))
    }
    if let predicate = plan.predicate {
      parts.append(try sql(predicate).withFewParameters(dialect))
    }
    return SQLText(parts, separator: " AND ")
  }

  private mutating func order(_ plan: RowQuery, _ alias: String) throws -> SQLText {
    var order = SQLText(" ORDER BY ")
    for sort in plan.sorts {
      order += try orderKey(sort)
      order += ", "
    }
    let column = key(alias)
    let key = IndexAdvice(plan).hidesKeyOrder ? dialect.withoutIndex(column) : column
    // The key makes the order of rows with equal values unique, and the same as that of `RowOrder`.
    order += dialect.orderTerm(SQLText(key), ascending: true)
    return order
  }

  /// Returns a sort descriptor as a term of ORDER BY.
  package mutating func orderKey(_ sort: BoundSort) throws -> SQLText {
    let key =
      try sort.comparison == .literal
      ? compared(sort.key)
      : dialect.ordered(sql(sort.key), sort.comparison)
        .pushedDown("the order of texts by \(sort.comparison)")
    return dialect.orderTerm(key, ascending: sort.ascending)
  }

  // MARK: Scopes

  /// Begins a level and returns the alias of its table.
  package mutating func push(_ layout: EntityLayout, level: Int) -> String {
    let alias = nextAlias()
    scopes.append(Scope(level: level, alias: alias, layout: layout))
    return alias
  }

  /// The entity of the request.
  package var fetchedLayout: EntityLayout? {
    scopes.first.flatMap { $0.level == 0 ? $0.layout : nil }
  }

  /// Returns the index of a level's scope. An expression can refer to its own level and to the enclosing levels.
  private func scope(_ level: Int) -> Int { scopes.lastIndex { $0.level == level } ?? 0 }

  /// Ends the innermost level and returns its joins.
  package mutating func pop() -> String { scopes.removeLast().joinText }

  /// Returns the key column of a table.
  package func key(_ alias: String) -> String { "\(alias).\(schema.own.key)" }

  /// Returns the entity column of a table.
  package func entity(_ alias: String) -> String { "\(alias).\(schema.own.entity)" }

  package mutating func nextAlias() -> String {
    defer { aliasCount += 1 }
    return "t\(aliasCount)"
  }

  /// Returns the alias of the table at the end of a path's to-one steps, adding joins if they are missing.
  package mutating func alias(_ path: BoundPath) throws -> String {
    let scope = scope(path.level)
    var alias = scopes[scope].alias
    var layout = path.start
    for (position, slot) in path.steps.enumerated() {
      let steps = Array(path.steps[...position])
      guard case .toOne(let column, _, _) = schema.mapping(layout, slot),
        let destination = layout.slots[slot].relationship?.destination
      else { throw notStored(layout, slot) }
      if let known = scopes[scope].joins.first(where: { $0.steps == steps }) {
        alias = known.alias
      } else {
        // A path may need more joins than the database supports.
        if scopes[scope].joins.count >= dialect.mostTables - 1 {
          throw StatementLimit.tooManyTables(in: dialect)
        }
        let joined = nextAlias()
        // LEFT JOIN keeps a row without a destination, and the destination's values are NULL.
        scopes[scope].joinText +=
          " LEFT JOIN \(try schema.source(destination)) \(joined)"
          + " ON \(key(joined)) = \(alias).\(dialect.name(column))"
        scopes[scope].joins.append((steps, joined))
        alias = joined
      }
      layout = destination
    }
    return alias
  }

  package func notStored(_ layout: EntityLayout, _ slot: Int) -> any Error {
    CoreDataError.badRequest("\(layout.name).\(layout.slots[slot].name) is not in this store")
  }

  /// Returns the column of a path.
  package mutating func sql(_ path: BoundPath) throws -> String {
    switch path.terminal {
    case .object:
      // The column of the last step contains the key, so its destination need not be joined.
      guard let last = path.steps.last else { return key(scopes[scope(path.level)].alias) }
      var layout = path.start
      for step in path.steps.dropLast() {
        layout = layout.slots[step].relationship?.destination ?? layout
      }
      let owner = BoundPath(
        level: path.level, start: path.start, steps: path.steps.dropLast(), end: layout,
        terminal: .reference(last))
      return try sql(owner)
    case .attribute(let slot):
      guard case .attribute(let column) = schema.mapping(path.end, slot) else {
        throw notStored(path.end, slot)
      }
      let cell = "\(try alias(path)).\(dialect.name(column))"
      guard schema.keepsExactDecimals, path.end.slots[slot].storage == .decimal else { return cell }
      return try number(ofExact: cell)
    case .reference(let slot):
      guard case .toOne(let column, _, _) = schema.mapping(path.end, slot) else {
        throw notStored(path.end, slot)
      }
      return "\(try alias(path)).\(dialect.name(column))"
    }
  }

  /// Returns the SQL of the number in a decimal cell, which may contain digits as UTF-8 bytes instead of a number.
  package func number(ofExact cell: String) throws -> String {
    try dialect.number(ofExact: cell).pushedDown("the number of an exact decimal")
  }

  /// Returns `SELECT <result> FROM <members of the collection> WHERE <condition>`.
  package mutating func members(
    _ collection: BoundCollection,
    _ body: (inout SelectBuilder, String) throws -> (SQLText, SQLText?)
  ) throws -> SQLText {
    let owner = try sql(collection.owner)
    let layout = collection.owner.end
    let alias = push(collection.destination, level: collection.level)
    let (result, condition) = try body(&self, alias)
    let joins = pop()
    let table = try schema.source(collection.destination)
    var sql = SQLText("SELECT ")
    sql += result
    switch schema.mapping(layout, collection.slot) {
    case .children(let column, _, _):
      sql += " FROM \(table) \(alias)\(joins) WHERE \(alias).\(dialect.name(column)) = \(owner)"
    case .join(let join):
      let link = linkAlias(of: alias)
      let ownerColumn = "\(link).\(dialect.name(join.ownerColumn))"
      let memberColumn = "\(link).\(dialect.name(join.memberColumn))"
      sql += " FROM \(dialect.name(join.table)) \(link)"
      sql += " JOIN \(table) \(alias) ON \(key(alias)) = \(memberColumn)\(joins)"
      sql += " WHERE \(ownerColumn) = \(owner)"
    default: throw notStored(layout, collection.slot)
    }
    if let condition, !condition.text.isEmpty {
      sql += " AND ("
      sql += condition
      sql += ")"
    }
    return sql
  }

  /// Returns the ORDER BY terms for the members of an ordered relationship; nil if the store contains no order.
  ///
  /// - Parameter alias: The alias of the members' table.
  package func memberOrder(_ collection: BoundCollection, _ alias: String) -> [String]? {
    switch schema.mapping(collection.owner.end, collection.slot) {
    case .children(_, let order?, _): ["\(alias).\(dialect.name(order))", key(alias)]
    case .join(let join):
      join.memberOrderColumn.map {
        ["\(linkAlias(of: alias)).\(dialect.name($0))", key(alias)]
      }
    default: nil
    }
  }

  /// Returns the alias of a join table, which is derived from the alias of the members' table.
  private func linkAlias(of alias: String) -> String { alias + "j" }
}
