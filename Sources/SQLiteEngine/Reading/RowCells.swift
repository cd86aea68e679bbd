import StoreEngine
import CSQLite

/// The values of one row as SQLite gives them, numbered from 0.
///
/// They are the columns of a statement, or the arguments of a function (``RowReceiver``). ``RowDecoder`` reads
/// both through this protocol.
protocol RowCells {
  func integer(_ column: Int) -> Int64
  func double(_ column: Int) -> Double
  func text(_ column: Int) -> String
  func type(_ column: Int) -> Int32
  func isNull(_ column: Int) -> Bool
  /// The UTF-8 of a text; nil for NULL. Valid until the next row.
  ///
  /// - Throws: when there is no memory for it.
  func textIfPresent(_ column: Int) throws -> UnsafeRawBufferPointer?
  /// The bytes of a blob, none for NULL. Valid until the next row.
  ///
  /// - Throws: when there is no memory for them.
  func blob(_ column: Int) throws -> UnsafeRawBufferPointer
}

extension SQLiteStatement: RowCells {}

/// A row that was given to a function: reading a value is then but a look at it, where a statement
/// checks its own state for each. Only of databases whose texts are UTF-8.
struct ArgumentCells: RowCells {
  let values: UnsafeMutablePointer<OpaquePointer?>

  func integer(_ column: Int) -> Int64 { sqlite3_value_int64(values[column]) }
  func double(_ column: Int) -> Double { sqlite3_value_double(values[column]) }
  func text(_ column: Int) -> String { SQLiteValue.text(values[column]) ?? "" }
  func type(_ column: Int) -> Int32 { sqlite3_value_type(values[column]) }
  func isNull(_ column: Int) -> Bool { type(column) == SQLITE_NULL }

  // As bytes: a text would be copied for the zero behind it.
  func textIfPresent(_ column: Int) throws -> UnsafeRawBufferPointer? {
    let bytes = try blob(column)
    return bytes.baseAddress == nil && isNull(column) ? nil : bytes
  }

  func blob(_ column: Int) throws -> UnsafeRawBufferPointer {
    let base = sqlite3_value_blob(values[column])
    let count = Int(sqlite3_value_bytes(values[column]))
    if base == nil, count > 0 { throw Self.noMemory }
    return UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : count)
  }

  private static var noMemory: SQLiteError {
    SQLiteError(code: SQLITE_NOMEM, message: "out of memory", sql: nil)
  }
}
