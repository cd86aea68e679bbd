import CSQLite
import StoreEngine

/// Converts the arguments and results of functions that SQLite calls.
enum SQLiteValue {
  static func text(_ value: OpaquePointer?) -> String? {
    guard sqlite3_value_type(value) != SQLITE_NULL, let base = sqlite3_value_text(value) else {
      return nil
    }
    let bytes = UnsafeBufferPointer(start: base, count: Int(sqlite3_value_bytes(value)))
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func data(_ value: OpaquePointer?) -> Data {
    guard let base = sqlite3_value_blob(value) else { return Data() }
    return Data(bytes: base, count: Int(sqlite3_value_bytes(value)))
  }

  /// Returns an argument as a value of the given kind.
  static func scalar(_ value: OpaquePointer?, _ kind: ValueKind) -> Scalar {
    let type = sqlite3_value_type(value)
    if type == SQLITE_NULL { return .null }
    switch kind {
    case .null, .opaque, .object: return .null
    case .integer, .double:
      return type == SQLITE_INTEGER
        ? .integer(sqlite3_value_int64(value)) : .double(sqlite3_value_double(value))
    case .decimal:
      if type == SQLITE_INTEGER { return .decimal(Decimal(sqlite3_value_int64(value))) }
      // Only stores with exact decimals keep digits as bytes; see `StoreSchema.keepsExactDecimals`.
      if type == SQLITE_BLOB {
        return text(value).flatMap { Decimal(string: $0) }.map(Scalar.decimal) ?? .null
      }
      // A number out of the range of decimals is passed as a double.
      let double = sqlite3_value_double(value)
      return Scalar.double(double).decimalValue.map(Scalar.decimal) ?? .double(double)
    case .date:
      return .date(Date(timeIntervalSinceReferenceDate: sqlite3_value_double(value)))
    case .text: return text(value).map(Scalar.text) ?? .null
    case .uri: return text(value).flatMap { URL(string: $0) }.map(Scalar.url) ?? .null
    case .data: return .data(data(value))
    case .uuid: return UUID(bytes: data(value)).map(Scalar.uuid) ?? .null
    }
  }

  /// Sets the result of an SQL function.
  static func setResult(_ result: Scalar, of context: OpaquePointer?) {
    switch result {
    case .null, .other: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    // SQLite's integers are signed.
    case .unsigned(let value): sqlite3_result_double(context, Double(value))
    case .double(let value): sqlite3_result_double(context, value)
    case .decimal(let value):
      let text = value.description
      if let whole = Int64(text) {
        sqlite3_result_int64(context, whole)
      } else {
        sqlite3_result_double(context, Double(text) ?? .nan)
      }
    case .date(let value):
      sqlite3_result_double(context, value.timeIntervalSinceReferenceDate)
    case .text(let value): setResult(value, of: context)
    case .url(let value): setResult(value.absoluteString, of: context)
    case .data(let value): setResult(value, of: context)
    case .uuid(let value): setResult(value.bytes, of: context)
    }
  }

  private static func setResult(_ text: String, of context: OpaquePointer?) {
    var text = text
    text.withUTF8 { bytes in
      let base = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
      // A null pointer would be NULL.
      guard let base else { return sqlite3_result_text(context, "", 0, nil) }
      sqlite3_result_text64(
        context, base, UInt64(bytes.count), sqlite3_transient_destructor(), UInt8(SQLITE_UTF8))
    }
  }

  private static func setResult(_ data: Data, of context: OpaquePointer?) {
    data.withUnsafeBytes { bytes in
      // A null pointer would be NULL.
      guard let base = bytes.baseAddress else { return sqlite3_result_zeroblob(context, 0) }
      sqlite3_result_blob64(context, base, UInt64(bytes.count), sqlite3_transient_destructor())
    }
  }

  /// Converts a thrown error to an error of the statement.
  static func reportingErrors(_ context: OpaquePointer?, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      sqlite3_result_error(context, error.localizedDescription, -1)
      // This is an error of the request, such as an invalid pattern, not of the file.
      if error is InvalidPredicateError { sqlite3_result_error_code(context, SQLITE_FORMAT) }
    }
  }

  /// Returns a value that is derived from an argument, and caches it while the argument is a constant of the
  /// statement.
  static func kept<Value>(
    _ context: OpaquePointer?, _ argument: Int32, _ make: () throws -> Value
  ) rethrows -> Value {
    if let known = sqlite3_get_auxdata(context, argument) {
      let box = Unmanaged<AnyObject>.fromOpaque(known).takeUnretainedValue()
      if let box = box as? Box<Value> { return box.value }
    }
    let value = try make()
    // SQLite may discard the cached value immediately (sqlite.org/c3ref/get_auxdata.html), so the
    // result is not read back.
    sqlite3_set_auxdata(
      context, argument, Unmanaged.passRetained(Box(value) as AnyObject).toOpaque(),
      { if let box = $0 { Unmanaged<AnyObject>.fromOpaque(box).release() } })
    return value
  }

  private final class Box<Value> {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}
