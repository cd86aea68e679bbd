import CSQLite
import Foundation
import Testing

/// The schema of a store's file, in a form that is equal for two stores of one model.
struct SchemaPicture {
  /// Column names and types by table, in any order, because altered tables have new columns last.
  private(set) var columns: [String: Set<String>] = [:]
  /// Indexes and triggers, without the quotes that SQLite adds when it renames something.
  private(set) var others: Set<String> = []
  /// Numbers, names and parents.
  private(set) var entities: Set<String> = []

  init(_ url: URL) throws {
    for row in try Self.rows(
      url,
      "SELECT m.name, c.name || ' ' || c.type FROM sqlite_schema m, pragma_table_info(m.name) c"
        + " WHERE m.type = 'table'")
    {
      columns[row[0], default: []].insert(row[1])
    }
    for row in try Self.rows(
      url, "SELECT REPLACE(sql, '\"', '') FROM sqlite_schema WHERE type IN ('index', 'trigger')")
    {
      others.insert(row[0])
    }
    for row in try Self.rows(
      url, "SELECT Z_ENT || ' ' || Z_NAME || ' ' || Z_SUPER FROM Z_PRIMARYKEY")
    {
      entities.insert(row[0])
    }
  }

  private static func rows(_ url: URL, _ sql: String) throws -> [[String]] {
    var database: OpaquePointer?
    try #require(sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    defer { sqlite3_close(database) }
    var statement: OpaquePointer?
    try #require(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
    defer { sqlite3_finalize(statement) }
    var rows: [[String]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
        })
    }
    return rows
  }
}
