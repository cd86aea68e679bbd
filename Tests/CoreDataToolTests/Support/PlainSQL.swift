import CSQLite
import Foundation

/// Reads and changes a store with SQLite alone, without the library.
final class PlainSQL {
  private var database: OpaquePointer?

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  init(_ path: String) throws {
    guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw Failure(description: "cannot open \(path)")
    }
  }

  deinit {
    sqlite3_close(database)
  }

  /// Runs a statement and returns its rows: `nil` for NULL, integers as SQLite prints them, doubles as Swift prints
  /// them, and blobs as base64.
  func rows(_ sql: String) throws -> [[String?]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(description: "\(String(cString: sqlite3_errmsg(database))): \(sql)")
    }
    defer { sqlite3_finalize(statement) }
    var rows: [[String?]] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return rows }
      guard code == SQLITE_ROW else {
        throw Failure(description: "\(String(cString: sqlite3_errmsg(database))): \(sql)")
      }
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          switch sqlite3_column_type(statement, column) {
          case SQLITE_NULL: return nil
          case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, column))
            let bytes = sqlite3_column_blob(statement, column)
            return Data(bytes: bytes ?? UnsafeRawPointer(bitPattern: 1)!, count: count)
              .base64EncodedString()
          case SQLITE_FLOAT: return sqlite3_column_double(statement, column).description
          default:
            // Uses the length, because a string may contain a NUL.
            let text = sqlite3_column_text(statement, column)
            let count = Int(sqlite3_column_bytes(statement, column))
            return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
          }
        })
    }
  }
}
