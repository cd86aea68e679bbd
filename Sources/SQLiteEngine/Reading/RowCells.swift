import StoreEngine
import CSQLite

/// The values of one row in SQLite, numbered from 0.
///
/// They are the columns of a statement, or the arguments of a function (``RowReceiver``). ``RowDecoder`` reads both
/// through this protocol.
protocol RowCells {
  func integer(_ column: Int) -> Int64
  func double(_ column: Int) -> Double
  func text(_ column: Int) -> String
  func type(_ column: Int) -> Int32
  func isNull(_ column: Int) -> Bool
  /// Returns the UTF-8 of a string, which is valid until the next row; nil for NULL.
  ///
  /// - Throws: If there is not enough memory.
  func textIfPresent(_ column: Int) throws -> UnsafeRawBufferPointer?
  /// Returns the bytes of a value, which are valid until the next row; empty for NULL.
  ///
  /// - Throws: If there is not enough memory.
  func blob(_ column: Int) throws -> UnsafeRawBufferPointer
}

extension SQLiteStatement: RowCells {}

/// A row that was passed to a function. Unlike a read from a statement, a read of its values does not check the
/// statement's state. Only for databases with UTF-8 text.
struct ArgumentCells: RowCells {
  let values: UnsafeMutablePointer<OpaquePointer?>

  func integer(_ column: Int) -> Int64 { sqlite3_value_int64(values[column]) }
  func double(_ column: Int) -> Double { sqlite3_value_double(values[column]) }
  func text(_ column: Int) -> String { SQLiteValue.text(values[column]) ?? "" }
  func type(_ column: Int) -> Int32 { sqlite3_value_type(values[column]) }
  func isNull(_ column: Int) -> Bool { type(column) == SQLITE_NULL }

  // Read the string as bytes, because reading it as a string would copy it to add a terminating
  // zero.
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
