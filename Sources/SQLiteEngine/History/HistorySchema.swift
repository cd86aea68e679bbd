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

    var statement: String {
      let own = columns.map { ", \($0.0) \($0.1)" }.joined()
      return "CREATE TABLE \(name) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(own) )"
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
    for table in tables(tombstones: tombstones) {
      let present = try columns(of: table.name, on: connection)
      if present.isEmpty {
        try connection.execute(table.statement)
      } else {
        for (name, type) in table.columns where !present.contains(name) {
          try connection.execute("ALTER TABLE \(table.name) ADD COLUMN \(name) \(type)")
        }
      }
      try connection.execute(
        "INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX)"
          + " VALUES (\(table.number), '\(table.entity)', 0, 0)")
    }
    for (name, place) in indexes {
      let unique = name.contains("UNIQUE") ? "UNIQUE " : ""
      let count = try connection.integer(
        "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'index' AND name = '\(name)'")
      if count == 0 { try connection.execute("CREATE \(unique)INDEX \(name) \(place)") }
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
