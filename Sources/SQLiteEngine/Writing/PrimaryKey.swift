import StoreEngine
import CSQLite

/// The keys of rows (`Z_PK`), which begin at 1: Core Data gives no others, and here 0 stands for an object
/// without a key and those below for objects that were never saved.
///
/// A row with such a key is damage to whoever reads it; a reference to one leads nowhere; a history that
/// names one names nothing.
enum PrimaryKey {
  /// Returns a key that was read from a row.
  ///
  /// - Throws: for one that no row can have; the error names table and key.
  @inline(__always)
  static func validated(_ key: Int64, in table: @autoclosure () throws -> String) throws -> Int64 {
    guard key > 0 else { throw invalid(key, in: try table()) }
    return key
  }

  /// Returns an error of SQLite's for a damaged file, whose name the caller of the statement adds.
  static func invalid(_ key: Int64, in table: String) -> SQLiteError {
    SQLiteError(
      code: SQLITE_CORRUPT,
      message: "its table \(table) has a row with the key \(key) (Z_PK), and keys begin at 1",
      sql: nil)
  }
}
