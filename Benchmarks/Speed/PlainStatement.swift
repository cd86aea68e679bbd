import Foundation
import PlainSQLite

/// A query that runs through SQLite's C API and reads each column of each row.
final class PlainStatement {
  private var database: OpaquePointer?
  private var statement: OpaquePointer?

  struct Failure: Error, CustomStringConvertible { let description: String }

  init(_ url: URL, _ sql: String) throws {
    guard sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
      sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK
    else { throw Failure(description: String(cString: sqlite3_errmsg(database))) }
  }

  deinit {
    sqlite3_finalize(statement)
    sqlite3_close_v2(database)
  }

  /// Runs the query, and returns the number of rows.
  func run() throws -> Int {
    var count = 0
    var sum: Int64 = 0
    while sqlite3_step(statement) == SQLITE_ROW {
      count += 1
      for column in 0..<sqlite3_column_count(statement) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: sum &+= sqlite3_column_int64(statement, column)
        case SQLITE_FLOAT: sum &+= Int64(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
          sum &+= Int64(sqlite3_column_text(statement, column)?.pointee ?? 0)
          sum &+= Int64(sqlite3_column_bytes(statement, column))
        default: break
        }
      }
    }
    guard sqlite3_reset(statement) == SQLITE_OK else {
      throw Failure(description: String(cString: sqlite3_errmsg(database)))
    }
    // The sum keeps the optimizer from removing the reads.
    return sum == .min ? -1 : count
  }

  /// Runs the query, and passes the key and the text of each row to `body`.
  func run(_ body: (Int64, String) -> Void) throws {
    while sqlite3_step(statement) == SQLITE_ROW {
      body(
        sqlite3_column_int64(statement, 0),
        sqlite3_column_text(statement, 1).map { String(cString: $0) } ?? "")
    }
    guard sqlite3_reset(statement) == SQLITE_OK else {
      throw Failure(description: String(cString: sqlite3_errmsg(database)))
    }
  }
}
