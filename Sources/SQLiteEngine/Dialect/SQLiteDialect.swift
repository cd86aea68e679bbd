import StoreEngine

/// The SQL of SQLite, with the library's functions, which each connection registers.
struct SQLiteDialect: SQLDialect {
  /// Whether statements can call these functions. Statements in a file's schema cannot, because other programs must
  /// be able to write to the file.
  var callsFunctions = true
  /// Whether the file's encoding is UTF-8, in which the order of bytes is that of code points. In UTF-16 it is not.
  var hasUTF8 = true
  /// SQLite's limit on the parameters of a statement. This value is the default of its builds.
  var parameterLimit = 32_766

  var databaseName: String { "SQLite" }

  // MARK: Limits

  /// SQLite represents each table of a query by a bit in a 64-bit word.
  var mostTables: Int { 64 }
  /// This value is lower than SQLite's limit, because SQLite takes quadratic time for parameters (see
  /// ``constant(_:)``), and because WHERE, HAVING and the rest of a statement share the limit.
  var mostParameters: Int { min(2000, parameterLimit / 3) }
  /// Each condition is a level of SQLite's expression tree, whose depth is limited to a thousand.
  var longestList: Int { 32 }

  // MARK: Names and values

  func parameter(_ number: Int, _ value: StoredValue) -> String { "?" }

  func literal(_ value: StoredValue) -> String { SQLText.literal(value) }

  /// Passes the value to a function that returns it.
  ///
  /// SQLite keeps constants and parameters in a list and searches it for each of them, which takes
  /// quadratic time. It does not search the list for calls to a function whose result may change, nor for the arguments
  /// of a call.
  func constant(_ value: StoredValue) -> String? { callsFunctions ? ValueList.literal(value) : nil }

  func truth(_ value: Bool?) -> String { value.map { $0 ? "1" : "0" } ?? "NULL" }

  func number(ofExact cell: String) -> String? {
    callsFunctions ? "\(SQLFunctionNames.number)(\(cell))" : nil
  }

  func wholeNumber(_ number: SQLText) -> SQLText { SQLText("CAST(", number, " AS INTEGER)") }

  // MARK: Clauses

  /// SQLite sorts NULL before any value.
  func orderTerm(_ key: SQLText, ascending: Bool) -> SQLText {
    SQLText("", key, ascending ? " ASC" : " DESC")
  }

  func limit(_ rows: Int?, offset: Int) -> SQLText {
    var sql = SQLText(" LIMIT ")
    // OFFSET requires LIMIT. A negative limit means none.
    sql.bind(.integer(Int64(rows ?? -1)))
    if offset > 0 {
      sql += " OFFSET "
      sql.bind(.integer(Int64(offset)))
    }
    return sql
  }

  /// With a plus before it, a column is an expression, which has no index.
  func withoutIndex(_ column: String) -> String { "+" + column }

  var insertMissing: (into: String, end: String) { ("INSERT OR IGNORE INTO", "") }

  func temporaryTable(_ name: String) -> String { "temp." + name }

  func makeTemporaryTable(
    _ name: String, numbers: [String], key: [String], values: [(name: String, kind: ValueKind)]
  ) -> String {
    var columns = numbers.map { key == [$0] ? "\($0) INTEGER PRIMARY KEY" : "\($0) INTEGER" }
    columns += values.map(\.name)
    let isWide = key.count > 1
    if isWide { columns.append("PRIMARY KEY (\(key.joined(separator: ", ")))") }
    return "CREATE TABLE \(temporaryTable(name)) (\(columns.joined(separator: ", ")))"
      + (isWide ? " WITHOUT ROWID" : "")
  }

  func makeTemporaryIndex(_ name: String, on table: String, _ columns: [String]) -> String {
    "CREATE INDEX temp.\(name) ON \(table) (\(columns.joined(separator: ", ")))"
  }

  // MARK: Conditions

  func areIdentical(_ left: SQLText, _ right: SQLText) -> SQLText {
    SQLText([left, right], separator: " IS ")
  }

  func isAmong(_ value: SQLText, _ list: [StoredValue]) -> SQLText? {
    ValueList.sql(list, callsFunctions: callsFunctions).map { SQLText("", value, " IN (", $0, ")") }
  }

  func match(
    _ text: SQLText, _ type: NSComparisonPredicate.Operator,
    _ options: NSComparisonPredicate.Options, _ pattern: SQLText
  ) -> SQLText? {
    call(
      SQLFunctionNames.match,
      [text, SQLText("\(type.rawValue)"), SQLText("\(options.rawValue)"), pattern])
  }

  func folded(_ text: SQLText, _ options: NSComparisonPredicate.Options) -> SQLText? {
    call(SQLFunctionNames.folded, [text, SQLText("\(options.rawValue)")])
  }

  func isMode(_ value: SQLText, ofGroup values: SQLText, _ kind: ValueKind) -> SQLText? {
    call(SQLFunctionNames.isMode, [Self.letter(kind), value, values])
  }

  // MARK: Functions

  /// SQLite sorts texts by their bytes, unless a function returns other sort keys.
  func ordered(_ text: SQLText, _ comparison: StringComparison) -> SQLText? {
    if comparison != .literal { return call(SQLFunctionNames.order(comparison), [text]) }
    // Other programs do not have the collation.
    if hasUTF8 || !callsFunctions { return text }
    return SQLText("(", text, ") COLLATE \(SQLFunctionNames.codePoints)")
  }

  func arithmetic(
    _ operation: BoundExpression.ArithmeticOperator, _ left: SQLText, _ right: SQLText
  ) -> SQLText? {
    SQLText("(", SQLText([left, right], separator: " \(operation.rawValue) "), ")")
  }

  func function(_ function: BoundFunction, _ arguments: [SQLText]) -> SQLText? {
    call(SQLFunctionNames.function, [SQLText("'\(function.name)'")] + arguments)
  }

  /// SQLite knows the length without reading the bytes.
  func byteCount(_ value: SQLText) -> SQLText { SQLText("length(", value, ")") }

  func random(below limit: SQLText?, _ kind: ValueKind) -> SQLText? {
    call(SQLFunctionNames.random, limit.map { [Self.letter(kind), $0] } ?? [])
  }

  /// SQLite's own aggregate function if it has one.
  func aggregate(_ function: PredefinedFunction, _ value: SQLText, _ kind: ValueKind) -> SQLText? {
    switch function {
    // `sum` of integers fails if it overflows, and is NULL without values
    // (sqlite.org/lang_aggfunc.html).
    case .sum: SQLText("total(", value, ")")
    case .average: SQLText("avg(", value, ")")
    default: statistic(function, value, kind)
    }
  }

  func statistic(_ function: PredefinedFunction, _ value: SQLText, _ kind: ValueKind) -> SQLText? {
    switch function {
    case .count: SQLText("COUNT(", value, ")")
    case .minimum: SQLText("min(", compared(value, kind), ")")
    case .maximum: SQLText("max(", compared(value, kind), ")")
    default: call(SQLFunctionNames.statistic(function), [Self.letter(kind), value])
    }
  }

  private func compared(_ value: SQLText, _ kind: ValueKind) -> SQLText {
    kind.isMatched ? ordered(value, .literal) ?? value : value
  }

  /// `lower` and `upper` change only ASCII letters.
  func indexedCase(_ function: PredefinedFunction, _ text: SQLText) -> SQLText? {
    SQLText(function == .lowercase ? "lower(" : "upper(", text, ")")
  }

  // MARK: Calls

  /// Returns a call to one of the library's functions.
  private func call(_ function: String, _ arguments: [SQLText]) -> SQLText? {
    guard callsFunctions else { return nil }
    return SQLText("\(function)(", SQLText(arguments, separator: ", "), ")")
  }

  private static func letter(_ kind: ValueKind) -> SQLText { SQLText("'\(kind.letter)'") }
}

extension SQLText {
  /// Returns a value as SQL text.
  static func literal(_ value: StoredValue) -> String {
    switch value {
    case .integer(let value): String(value)
    case .double(let value): String(value)
    case .decimal(let value): value.stringValue
    case .text(let text): "'" + text.replacing(scalar: "'", with: "''") + "'"
    case .uri(let uri): "'" + uri.absoluteString.replacing(scalar: "'", with: "''") + "'"
    case .data(let data): "x'" + data.map { String(format: "%02x", $0) }.joined() + "'"
    case .uuid(let uuid): "x'" + uuid.bytes.map { String(format: "%02x", $0) }.joined() + "'"
    case .reference(let id): String(id.key)
    case .null, .object: "NULL"
    }
  }
}
