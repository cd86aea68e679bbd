import CSQLite
import StoreEngine

/// The result of a dictionary request whose entity is in several stores: sorted, distinct, grouped and limited like
/// that of one store.
///
/// Each store is read once. Its rows, or its groups if all stores can compute them, are collected in a table of a
/// temporary database, and a final statement computes the result. For an aggregate request, a store usually contributes
/// only one row for each of its groups. For a request with a limit, it contributes at most as many rows as the sum of
/// limit and offset, unless the results are distinct or grouped.
struct GatheredRows {
  private let plan: DictionaryQuery
  private let stores: [any GatheredRowSource]
  private let columns: GatheredColumns
  private let isGrouped: Bool
  private let query: SQLText

  init(_ plan: DictionaryQuery, in stores: [any GatheredRowSource]) throws {
    self.plan = plan
    self.stores = stores
    let origins = stores.map(\.origin)
    var isGrouped = plan.isAggregate && stores.allSatisfy(\.groupsRows)
    var columns = GatheredColumns(origins: origins, isGrouped: isGrouped)
    var query = try Self.query(plan, columns)
    // Only building the statement shows whether its aggregates can be computed from those of the
    // stores.
    if columns.needsRows {
      isGrouped = false
      columns = GatheredColumns(origins: origins, isGrouped: false)
      query = try Self.query(plan, columns)
    }
    self.isGrouped = isGrouped
    self.columns = columns
    self.query = query
  }

  /// Returns the statement that computes the result from the collected rows.
  private static func query(_ plan: DictionaryQuery, _ columns: GatheredColumns) throws -> SQLText {
    let model = plan.rows.layout.model
    let nowhere = model.entities.map { _ in String?.none }
    // The statement only reads the collected columns, so the schema has no tables.
    var builder = SelectBuilder(
      schema: StoreSchema(
        model: model, numbers: nowhere.map { _ in nil }, tables: nowhere, mappings: []),
      origin: .temporary, dialect: SQLiteDialect(), gathered: columns)
    return try builder.selectGathered(plan)
  }

  /// Returns the result.
  func dictionaries() throws -> [[String: Any]] {
    try withTable { connection, opaque in
      try connection.rows(query.text, query.parameters) { statement in
        var row: [String: Any] = [:]
        for (index, column) in plan.columns.enumerated() {
          column.put(value(index, column.form, statement, opaque), into: &row)
        }
        return row
      }
    }
  }

  /// Returns the number of dictionaries in the result.
  func count() throws -> Int {
    try withTable { connection, _ in
      Int(try connection.integer("SELECT COUNT(*) FROM (\(query.text))", query.parameters) ?? 0)
    }
  }

  // MARK: Collecting

  /// The request for each store.
  private var part: DictionaryQuery {
    var part = plan
    if plan.rows.limit > 0, !plan.collapsesRows {
      // The first rows of the result may all be from one store, and so may the skipped rows.
      part.rows.limit = plan.rows.limit + plan.rows.offset
    } else {
      // The final statement sorts the rows, and keeps equal rows in the order of their stores and
      // keys.
      part.rows.limit = 0
      part.rows.sorts = []
    }
    part.rows.offset = 0
    return part
  }

  /// Runs `body` on a database with the rows of all stores.
  ///
  /// - Parameter body: Called with the connection, and the values that a database cannot contain. The table contains
  ///   their indexes instead.
  private func withTable<Result>(
    _ body: (SQLiteConnection, [StoredValue]) throws -> Result
  ) throws -> Result {
    do {
      // With an empty path, SQLite keeps the database in memory and moves it to a temporary file if
      // it grows (sqlite.org/inmemorydb.html).
      let connection = try SQLiteConnection(path: "", mode: .readWriteCreate, busyTimeout: 0)
      defer { connection.close() }
      return try connection.interruptible(by: plan.rows.cancellation) {
        try body(connection, try fill(connection))
      }
    } catch let error as SQLiteError {
      throw CoreDataError.make(
        NSPersistentStoreOperationError,
        "the dictionaries of \(plan.rows.layout.name) from several stores cannot be"
          + " combined: \(error.message)", cause: error)
    }
  }

  private func fill(_ connection: SQLiteConnection) throws -> [StoredValue] {
    let names = columns.expressions.indices.map(GatheredColumns.name)
    try connection.execute(
      "CREATE TABLE gathered (\((["Z_PK INTEGER PRIMARY KEY"] + names).joined(separator: ", ")))")
    let values = (["NULL"] + names.map { _ in "?" }).joined(separator: ", ")
    var opaque: [StoredValue] = []
    try connection.transaction {
      let insertion = try connection.statement("INSERT INTO gathered VALUES (\(values))")
      defer { insertion.reset() }
      for store in stores {
        try store.gather(columns.expressions, of: part, isGrouped: isGrouped) { values in
          for (index, value) in values.enumerated() {
            insertion.bind(cell(value, index, &opaque), at: index + 1)
          }
          try insertion.runAgain()
        }
      }
    }
    return opaque
  }

  private func cell(
    _ value: StoredValue, _ column: Int, _ opaque: inout [StoredValue]
  ) -> StoredValue {
    switch value {
    case .object:
      opaque.append(value)
      return .integer(Int64(opaque.count - 1))
    // Stores in SQLite compute other decimal expressions as doubles, so only attributes keep their digits.
    case .decimal where columns.expressions[column].isDecimalAttribute: return value.exactCell
    default: return columns.stored(value)
    }
  }

  // MARK: Results

  private func value(
    _ index: Int, _ form: DictionaryQuery.ResultForm, _ statement: SQLiteStatement,
    _ opaque: [StoredValue]
  ) -> Any? {
    if statement.isNull(index) { return nil }
    switch form {
    case .kind(.object(let layout)): return columns.id(statement.data(index), layout)
    case .kind(let kind): return statement.value(index, kind, origin: .temporary)
    case .attribute(let slot):
      var value = statement.value(index, of: ValueKind(slot), origin: .temporary)
      if ValueKind(slot) == .opaque, statement.type(index) == SQLITE_INTEGER {
        value = opaque[Int(statement.integer(index))]
      }
      return AttributeCodec.external(value, slot)
    }
  }
}
