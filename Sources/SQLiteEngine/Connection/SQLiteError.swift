import CSQLite
import StoreEngine

/// An error of SQLite, with the statement that caused it.
struct SQLiteError: UnderlyingError, CustomStringConvertible {
  /// The extended result code.
  let code: Int32
  /// The message of SQLite.
  let message: String
  /// The statement, if there was one.
  let sql: String?

  /// The primary result code, which is the extended code without its details.
  var primaryCode: Int32 { code & 0xff }

  /// Whether a row would have the same unique values as another row.
  var isUniqueness: Bool { code == Self.uniquenessCode }

  /// Whether the statement is invalid, or does not fit the file's schema.
  var isOfStatement: Bool { primaryCode == SQLITE_ERROR }

  // SQLITE_CONSTRAINT_UNIQUE in sqlite3.h.
  private static let uniquenessCode = SQLITE_CONSTRAINT | (8 << 8)

  var description: String {
    "SQLite error \(code): \(message)" + (sql.map { " in \($0)" } ?? "")
  }

  /// Whether the file is not a database, or is damaged.
  var isDamage: Bool {
    primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB
  }

  var userInfo: [String: Any] {
    [NSUnderlyingErrorKey: nsError, NSSQLiteErrorDomain: Int(code)]
  }

  /// The error as the underlying error of a Core Data error.
  var nsError: NSError {
    var info: [String: Any] = [NSLocalizedDescriptionKey: message]
    if let sql { info["NSSQLiteStatement"] = sql }
    return NSError(domain: NSSQLiteErrorDomain, code: Int(code), userInfo: info)
  }
}
