import CSQLite
import StoreEngine

/// The tables of persistent history, as Apple's Core Data creates them.
///
/// The statements are those of stores that Apple's frameworks wrote (macOS 10.15 to 15).
enum HistorySchema {
  static let changeEntity: Int64 = 16_001
  static let transactionEntity: Int64 = 16_002
  static let stringEntity: Int64 = 16_003

  private static let changes = [
    ("ZCHANGETYPE", "INTEGER"), ("ZENTITY", "INTEGER"), ("ZENTITYPK", "INTEGER"),
    ("ZTRANSACTIONID", "INTEGER"), ("ZCOLUMNS", "BLOB"),
  ]
  private static let transactions = [
    ("ZAUTHORTS", "INTEGER"), ("ZBUNDLEIDTS", "INTEGER"), ("ZCONTEXTNAMETS", "INTEGER"),
    ("ZPROCESSIDTS", "INTEGER"), ("ZTIMESTAMP", "FLOAT"), ("ZAUTHOR", "VARCHAR"),
    ("ZBUNDLEID", "VARCHAR"), ("ZCONTEXTNAME", "VARCHAR"), ("ZPROCESSID", "VARCHAR"),
    ("ZQUERYGEN", "BLOB"),
  ]
  private static let strings = [("ZNAME", "VARCHAR")]

  private struct Table {
    let name: String
    let number: Int64
    let columns: [(String, String)]

    var entity: String { String(name.dropFirst()) }

    /// The columns apart from `Z_PK`.
    var otherColumns: [(String, String)] { [("Z_ENT", "INTEGER"), ("Z_OPT", "INTEGER")] + columns }

    var statement: String {
      let others = otherColumns.map { ", \($0.0) \($0.1)" }.joined()
      return "CREATE TABLE \(name) ( Z_PK INTEGER PRIMARY KEY\(others) )"
    }

    /// The statement that adds the table's row to `Z_PRIMARYKEY`, with the highest key in the table.
    var counterStatement: String {
      "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX)"
        + " SELECT \(number), '\(entity)', 0, IFNULL(MAX(Z_PK), 0) FROM \(name)"
    }
  }

  private static func tables(tombstones: Int) -> [Table] {
    let tombstoneColumns = (0..<tombstones).map { ("ZTOMBSTONE\($0)", "BLOB") }
    return [
      Table(name: "ACHANGE", number: changeEntity, columns: changes + tombstoneColumns),
      Table(name: "ATRANSACTION", number: transactionEntity, columns: transactions),
      Table(name: "ATRANSACTIONSTRING", number: stringEntity, columns: strings),
    ]
  }

  private static let indexes = [
    ("ACHANGE_ZTRANSACTIONID_INDEX", "ON ACHANGE (ZTRANSACTIONID)"),
    ("ATRANSACTION_ZAUTHORTS_INDEX", "ON ATRANSACTION (ZAUTHORTS)"),
    ("ATRANSACTION_ZBUNDLEIDTS_INDEX", "ON ATRANSACTION (ZBUNDLEIDTS)"),
    ("ATRANSACTION_ZCONTEXTNAMETS_INDEX", "ON ATRANSACTION (ZCONTEXTNAMETS)"),
    ("ATRANSACTION_ZPROCESSIDTS_INDEX", "ON ATRANSACTION (ZPROCESSIDTS)"),
    ("Z_TRANSACTION_TransactionAuthorIndex", "ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)"),
    ("Z_TRANSACTION_TransactionTimestampIndex", "ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)"),
    ("Z_TRANSACTIONSTRING_UNIQUE_NAME", "ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)"),
  ]

  /// Creates the missing parts of the tables: all of them, or what an older system did not have, or columns for the
  /// values of deleted rows that a new version of the model preserves. Called inside a transaction.
  static func complete(on connection: SQLiteConnection, tombstones: Int) throws {
    for statement in try completingStatements(on: connection, tombstones: tombstones) {
      try connection.execute(statement)
    }
  }

  /// Returns whether `complete` has nothing to create.
  static func isComplete(on connection: SQLiteConnection, tombstones: Int) throws -> Bool {
    try completingStatements(on: connection, tombstones: tombstones).isEmpty
  }

  /// Returns the statements that create the missing parts of the tables.
  ///
  /// - Throws: `SQLITE_CORRUPT`, if a table lacks its primary key, which cannot be added.
  private static func completingStatements(
    on connection: SQLiteConnection, tombstones: Int
  ) throws -> [String] {
    var statements: [String] = []
    let numbers = Set(try connection.rows("SELECT Z_ENT FROM Z_PRIMARYKEY") { $0.integer(0) })
    for table in tables(tombstones: tombstones) {
      let present = try columns(of: table.name, on: connection)
      if present.isEmpty {
        statements.append(table.statement)
      } else if !present.contains("Z_PK") {
        throw SQLiteError(
          code: SQLITE_CORRUPT, message: "its table \(table.name) has no column Z_PK", sql: nil)
      } else {
        for (name, type) in table.otherColumns where !present.contains(name) {
          statements.append("ALTER TABLE \(table.name) ADD COLUMN \(name) \(type)")
        }
      }
      if !numbers.contains(table.number) { statements.append(table.counterStatement) }
    }
    let present = Set(
      try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'index'")
        .map(\.asciiUppercased))
    for (name, place) in indexes where !present.contains(name.asciiUppercased) {
      let isUnique = name.contains("UNIQUE")
      // A file with repeated names, which other programs may have written, stays without the index.
      if isUnique, try hasRepeatedNames(on: connection) { continue }
      statements.append("CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name) \(place)")
    }
    return statements
  }

  private static func hasRepeatedNames(on connection: SQLiteConnection) throws -> Bool {
    guard try columns(of: "ATRANSACTIONSTRING", on: connection).contains("ZNAME") else {
      return false
    }
    return try connection.integer(
      "SELECT EXISTS (SELECT 1 FROM ATRANSACTIONSTRING WHERE ZNAME IS NOT NULL"
        + " GROUP BY ZNAME HAVING COUNT(*) > 1)") == 1
  }

  // MARK: Verification

  /// The tables, each with the statement that adds its row to `Z_PRIMARYKEY`.
  static var counters: [(table: String, number: Int64, statement: String)] {
    tables(tombstones: 0).map { ($0.name, $0.number, $0.counterStatement) }
  }

  /// The columns that refer to names.
  static let stringColumns = transactions.map(\.0).filter { $0.hasSuffix("TS") }

  /// Returns the columns that a table has in the stores of every system.
  ///
  /// - Parameter keepsStrings: Whether names are in a separate table. The first Apple systems with history wrote them
  ///   into the row of each transaction.
  static func requiredColumns(of table: String, keepsStrings: Bool) -> [String] {
    let own = ["Z_PK", "Z_ENT", "Z_OPT"]
    switch table {
    case "ACHANGE": return own + changes.map(\.0)
    case "ATRANSACTION":
      return own
        + (keepsStrings ? stringColumns : stringColumns.map { String($0.dropLast(2)) })
        + ["ZTIMESTAMP"]
    default: return own + strings.map(\.0)
    }
  }

  /// Returns the column names of a table in uppercase; empty if there is no such table.
  static func columns(of table: String, on connection: SQLiteConnection) throws -> Set<String> {
    let names = try connection.texts("SELECT name FROM pragma_table_info('\(table)')")
    return Set(names.map(\.asciiUppercased))
  }

  /// Deletes the content of the tables. Called inside a transaction.
  static func clear(on connection: SQLiteConnection) throws {
    for table in tables(tombstones: 0)
    where try !columns(of: table.name, on: connection).isEmpty {
      try connection.execute("DELETE FROM \(table.name)")
      try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT = \(table.number)")
    }
  }

  /// Returns whether a store has history tables.
  static func exists(on connection: SQLiteConnection) throws -> Bool {
    try connection.integer(
      "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table'"
        + " AND name COLLATE NOCASE IN ('ATRANSACTION', 'ACHANGE')") != 0
  }

  /// Returns whether a store has a history with content.
  static func isInUse(on connection: SQLiteConnection) throws -> Bool {
    for table in ["ATRANSACTION", "ACHANGE"] {
      let isThere = try connection.integer(
        "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(table)' COLLATE NOCASE"
      )
      if isThere == 1, try connection.integer("SELECT EXISTS (SELECT 1 FROM \(table))") == 1 {
        return true
      }
    }
    return false
  }
}
