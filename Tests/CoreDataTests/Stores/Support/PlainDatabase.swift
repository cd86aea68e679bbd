import CSQLite
import Foundation

/// A value as SQLite stores it.
enum PlainValue: Equatable, Hashable, CustomStringConvertible {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)

  var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .real(let value): Int64(value)
    default: nil
    }
  }

  var real: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var blob: Data? { if case .blob(let data) = self { data } else { nil } }

  var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let text): "'\(text)'"
    case .blob(let data): "x'\(data.prefix(40).map { String(format: "%02x", $0) }.joined())'"
    }
  }
}

/// Reads and writes a SQLite file without the library, as a reference for the tests.
final class PlainDatabase {
  struct Failure: Error, CustomStringConvertible { let description: String }

  private var handle: OpaquePointer?

  init(_ url: URL) throws {
    guard sqlite3_open_v2(url.path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw Failure(description: "cannot open \(url.path)")
    }
  }

  deinit { sqlite3_close_v2(handle) }

  /// Returns all rows of a query, each keyed by the names of its columns.
  func rows(_ sql: String) throws -> [[String: PlainValue]] {
    let (names, values) = try table(sql)
    return values.map { Dictionary(zip(names, $0), uniquingKeysWith: { first, _ in first }) }
  }

  /// Returns all rows of a query.
  func values(_ sql: String) throws -> [[PlainValue]] { try table(sql).values }

  /// Executes statements without results.
  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// The columns of the tables, by table.
  func columns() throws -> [String: [String]] {
    var columns: [String: [String]] = [:]
    for table in try values("SELECT name FROM sqlite_master WHERE type = 'table'") {
      guard let name = table[0].text else { continue }
      columns[name] = try values("PRAGMA table_info(\"\(name)\")").compactMap { $0[1].text }
    }
    return columns
  }

  private func table(_ sql: String) throws -> (names: [String], values: [[PlainValue]]) {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw failure(sql)
    }
    defer { sqlite3_finalize(statement) }
    let count = sqlite3_column_count(statement)
    let names = (0..<count).map { String(cString: sqlite3_column_name(statement, $0)) }
    var values: [[PlainValue]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: values.append((0..<count).map { Self.value(statement, $0) })
      case SQLITE_DONE: return (names, values)
      default: throw failure(sql)
      }
    }
  }

  private static func value(_ statement: OpaquePointer?, _ column: Int32) -> PlainValue {
    // Reads the type first, because reading the length converts a number to text.
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      guard let base = sqlite3_column_text(statement, column) else { return .text("") }
      let bytes = UnsafeBufferPointer(
        start: base, count: Int(sqlite3_column_bytes(statement, column)))
      return .text(String(decoding: bytes, as: UTF8.self))
    case SQLITE_BLOB:
      guard let base = sqlite3_column_blob(statement, column) else { return .blob(Data()) }
      return .blob(Data(bytes: base, count: Int(sqlite3_column_bytes(statement, column))))
    default: return .null
    }
  }

  private func failure(_ sql: String) -> Failure {
    Failure(description: "\(String(cString: sqlite3_errmsg(handle))) in \(sql)")
  }
}
