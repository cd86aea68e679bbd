import CSQLite
import Foundation

/// Reads and writes a database without the library, to check what the library wrote.
final class PlainSQL {
  private var handle: OpaquePointer?

  init(_ url: URL) throws {
    guard sqlite3_open_v2(url.path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw Lost("SQLite cannot open \(url.path)")
    }
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit { sqlite3_close_v2(handle) }

  func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// Returns the first column of a query's rows, as text.
  func texts(_ sql: String) throws -> [String] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw failure(sql)
    }
    defer { sqlite3_finalize(statement) }
    var texts: [String] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
      case SQLITE_DONE: return texts
      default: throw failure(sql)
      }
    }
  }

  /// Throws unless SQLite can read the file and finds it valid.
  func requireWhole() throws {
    let problems = try texts("PRAGMA integrity_check")
    try Lost.unless(problems == ["ok"], "integrity_check: \(problems.joined(separator: "; "))")
  }

  /// Throws if another connection holds a lock.
  func requireUnlocked() throws {
    try run("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE; COMMIT")
  }

  /// Binds data to a statement's only parameter and executes it.
  func run(_ sql: String, binding data: Data) throws {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw failure(sql)
    }
    defer { sqlite3_finalize(statement) }
    _ = data.withUnsafeBytes {
      sqlite3_bind_blob64(
        statement, 1, $0.baseAddress, UInt64($0.count), sqlite3_transient_destructor())
    }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw failure(sql) }
  }

  /// Returns the data in a query's first column and row.
  func bytes(_ sql: String) throws -> Data? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw failure(sql)
    }
    defer { sqlite3_finalize(statement) }
    switch sqlite3_step(statement) {
    case SQLITE_ROW: break
    case SQLITE_DONE: return nil
    default: throw failure(sql)
    }
    guard let base = sqlite3_column_blob(statement, 0) else { return nil }
    return Data(bytes: base, count: Int(sqlite3_column_bytes(statement, 0)))
  }

  private func failure(_ sql: String) -> Lost {
    Lost("\(String(cString: sqlite3_errmsg(handle))) in \(sql)")
  }
}
