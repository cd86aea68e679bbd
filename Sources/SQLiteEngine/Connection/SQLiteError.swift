import CSQLite
import StoreEngine

/// What SQLite reported, with the statement that met it.
struct SQLiteError: UnderlyingError, CustomStringConvertible {
  /// The extended result code.
  let code: Int32
  /// SQLite's own words.
  let message: String
  /// The statement, where there was one.
  let sql: String?

  /// The primary result code: the extended code without its detail.
  var primaryCode: Int32 { code & 0xff }

  /// Whether a row would have had the unique values of another.
  var isUniqueness: Bool { code == Self.uniquenessCode }

  /// Whether the statement itself cannot be carried out, whatever the file's state.
  var isOfStatement: Bool { primaryCode == SQLITE_ERROR }

  private static let uniquenessCode = SQLITE_CONSTRAINT | (8 << 8)

  var description: String {
    "SQLite error \(code): \(message)" + (sql.map { " in \($0)" } ?? "")
  }

  /// Whether the file is not a database, or not one that can be read to the end.
  var isDamage: Bool {
    primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB
  }

  var userInfo: [String: Any] {
    [NSUnderlyingErrorKey: nsError, NSSQLiteErrorDomain: Int(code)]
  }

  /// The error as an underlying error of Core Data's.
  var nsError: NSError {
    var info: [String: Any] = [NSLocalizedDescriptionKey: message]
    if let sql { info["NSSQLiteStatement"] = sql }
    return NSError(domain: NSSQLiteErrorDomain, code: Int(code), userInfo: info)
  }
}
