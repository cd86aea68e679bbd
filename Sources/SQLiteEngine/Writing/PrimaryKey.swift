import StoreEngine
import CSQLite

/// The keys of rows (`Z_PK`). They begin at 1, because Core Data assigns no lower ones. In this library, 0 denotes an
/// object without a key, and negative keys denote objects that were never saved.
///
/// A row with a key below 1 is therefore damaged, and a reference to a key below 1 refers to no row.
enum PrimaryKey {
  /// Returns a key that was read from a row.
  ///
  /// - Throws: For a key that no row can have. The error states the table and the key.
  @inline(__always)
  static func validated(_ key: Int64, in table: @autoclosure () throws -> String) throws -> Int64 {
    guard key > 0 else { throw invalid(key, in: try table()) }
    return key
  }

  /// Returns SQLite's error for a damaged file. The code that runs the statement adds the name of the file.
  static func invalid(_ key: Int64, in table: String) -> SQLiteError {
    SQLiteError(
      code: SQLITE_CORRUPT,
      message: "its table \(table) has a row with the key \(key) (Z_PK), and keys begin at 1",
      sql: nil)
  }
}
