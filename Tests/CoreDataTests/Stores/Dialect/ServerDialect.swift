import CoreData
import Foundation
import StoreEngine

/// The SQL of a database server instead of SQLite: with PostgreSQL's types, Booleans, order of NULL values and
/// temporary tables, and without this library's functions.
///
/// Sources: PostgreSQL 15's documentation of SELECT (NULLS FIRST, LIMIT), INSERT (ON CONFLICT),
/// CREATE TABLE (TEMPORARY), and the operators IS NOT DISTINCT FROM and ANY.
struct ServerDialect: SQLDialect {
  var databaseName: String { "PostgreSQL" }
  var mostTables: Int { 1000 }
  var mostParameters: Int { 65535 }
  var longestList: Int { 100 }

  func parameter(_ number: Int, _ value: StoredValue) -> String {
    let type =
      switch value {
      case .integer, .reference: "bigint"
      case .double: "double precision"
      case .decimal: "numeric"
      case .data: "bytea"
      case .uuid: "uuid"
      case .text, .uri, .null, .object: "text"
      }
    return "$\(number)::\(type)"
  }

  func literal(_ value: StoredValue) -> String {
    switch value {
    case .integer(let number): String(number)
    case .text(let text): "'\(text.replacingOccurrences(of: "'", with: "''"))'"
    default: "NULL"
    }
  }

  func constant(_ value: StoredValue) -> String? { literal(value) }

  func truth(_ value: Bool?) -> String { value.map { $0 ? "TRUE" : "FALSE" } ?? "NULL::boolean" }

  func number(ofExact cell: String) -> String? { cell }

  func wholeNumber(_ number: SQLText) -> SQLText { SQLText("trunc(", number, ")::bigint") }

  func orderTerm(_ key: SQLText, ascending: Bool) -> SQLText {
    SQLText("", key, ascending ? " ASC NULLS FIRST" : " DESC NULLS LAST")
  }

  func limit(_ rows: Int?, offset: Int) -> SQLText {
    var sql = SQLText()
    for (word, number) in [(" LIMIT ", rows), (" OFFSET ", offset > 0 ? offset : nil)] {
      guard let number else { continue }
      sql += word
      sql.bind(.integer(Int64(number)))
    }
    return sql
  }

  func withoutIndex(_ column: String) -> String { column }

  var insertMissing: (into: String, end: String) { ("INSERT INTO", " ON CONFLICT DO NOTHING") }

  func temporaryTable(_ name: String) -> String { "pg_temp.\(name)" }

  func makeTemporaryTable(
    _ name: String, numbers: [String], key: [String], values: [(name: String, kind: ValueKind)]
  ) -> String {
    let columns =
      numbers.map { "\($0) bigint" } + values.map { "\($0.name) \($0.kind)" }
      + ["PRIMARY KEY (\(key.joined(separator: ", ")))"]
    return "CREATE TEMPORARY TABLE \(name) (\(columns.joined(separator: ", "))) ON COMMIT DROP"
  }

  func makeTemporaryIndex(_ name: String, on table: String, _ columns: [String]) -> String {
    "CREATE INDEX \(name) ON \(temporaryTable(table)) (\(columns.joined(separator: ", ")))"
  }

  func areIdentical(_ left: SQLText, _ right: SQLText) -> SQLText {
    SQLText([left, right], separator: " IS NOT DISTINCT FROM ")
  }

  func isAmong(_ value: SQLText, _ list: [StoredValue]) -> SQLText? {
    var sql = value
    sql += " = ANY("
    sql.bind(.text("{" + list.map { literal($0) }.joined(separator: ",") + "}"))
    sql += ")"
    return sql
  }

  func match(
    _ text: SQLText, _ type: NSComparisonPredicate.Operator,
    _ options: NSComparisonPredicate.Options, _ pattern: SQLText
  ) -> SQLText? { nil }

  func folded(_ text: SQLText, _ options: NSComparisonPredicate.Options) -> SQLText? { nil }

  func isMode(_ value: SQLText, ofGroup values: SQLText, _ kind: ValueKind) -> SQLText? { nil }

  func ordered(_ text: SQLText, _ comparison: StringComparison) -> SQLText? {
    comparison == .literal ? text : nil
  }

  func arithmetic(
    _ operation: BoundExpression.ArithmeticOperator, _ left: SQLText, _ right: SQLText
  ) -> SQLText? {
    SQLText("(", SQLText([left, right], separator: " \(operation.rawValue) "), ")")
  }

  func function(_ function: BoundFunction, _ arguments: [SQLText]) -> SQLText? { nil }

  func byteCount(_ value: SQLText) -> SQLText { SQLText("octet_length(", value, ")") }

  func random(below limit: SQLText?, _ kind: ValueKind) -> SQLText? { nil }

  func aggregate(_ function: PredefinedFunction, _ value: SQLText, _ kind: ValueKind) -> SQLText? {
    statistic(function, value, kind)
  }

  func statistic(_ function: PredefinedFunction, _ value: SQLText, _ kind: ValueKind) -> SQLText? {
    switch function {
    case .count: SQLText("count(", value, ")")
    case .minimum: SQLText("min(", value, ")")
    case .maximum: SQLText("max(", value, ")")
    default: nil
    }
  }

  func indexedCase(_ function: PredefinedFunction, _ text: SQLText) -> SQLText? { nil }
}
