import ObjectModel
import StoreEngine
import Foundation

/// Whether values are of the type that the model says, and within its range.
///
/// SQLite keeps any value in any column, so other programs can write what an attribute cannot have. Reading takes
/// the nearest value, or none.
struct ValueTypeCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.places.flatMap { place -> [StoreProblem] in
      guard case .attribute(let column) = place.mapping, let storage = place.slot.storage
      else { return [] }
      let value = "t.\(SQLText.name(column))"
      return try Self.rules(for: storage, value).compactMap { rule in
        let rows =
          "t.Z_ENT IN \(place.numbers) AND \(value) IS NOT NULL AND (\(rule.condition))"
        let found = try store.rows("t.Z_PK", "FROM \(place.table) AS t WHERE \(rows)")
        if found.count == 0 { return nil }
        return StoreProblem(
          .invalidValue, place.layout, place.slot, count: found.count,
          "\(found.count) values \(rule.text) (keys \(found.examples))",
          repairs: rule.repair.map {
            [
              "UPDATE \(place.table) AS t SET \(SQLText.name(column)) = \($0),"
                + " Z_OPT = IFNULL(Z_OPT, 0) + 1 WHERE \(rows)"
            ]
          } ?? [])
      }
    }
  }

  private struct Rule {
    /// True of a value, which is not NULL, that breaks it.
    let condition: String
    /// What is wrong with such values.
    let text: String
    /// What they mean beyond doubt.
    var repair: String?

    init(_ condition: String, _ text: String, repair: String? = nil) {
      self.condition = condition
      self.text = text
      self.repair = repair
    }
  }

  /// The last moment that Foundation's calendars can name, in seconds since 2001: in the year 5,828,963.
  private static let calendarEnd = "183881190614400.0"
  /// `NSDecimalNumber.maximum`.
  private static let greatestDecimal = "3.4028236692093847e165"

  private static func rules(for storage: AttributeStorage, _ value: String) -> [Rule] {
    func type(_ names: String) -> String { "typeof(\(value)) IN (\(names))" }
    let isNumber = type("'integer', 'real'")
    let notNumber = Rule("NOT \(isNumber)", "are no numbers")
    let infinite = "\(isNumber) AND ABS(\(value) * 1.0) = 9e999"
    func whole(_ name: String, _ limit: Int64) -> [Rule] {
      [
        Rule("NOT \(type("'integer'"))", "are no whole numbers"),
        Rule(
          "\(type("'integer'")) AND \(value) NOT BETWEEN \(-limit - 1) AND \(limit)",
          "are outside the range of \(name)"),
      ]
    }
    switch storage {
    case .integer16: return whole("Integer 16", Int64(Int16.max))
    case .integer32: return whole("Integer 32", Int64(Int32.max))
    case .integer64: return [Rule("NOT \(type("'integer'"))", "are no whole numbers")]
    case .boolean:
      return [
        Rule("NOT \(type("'integer'"))", "are no truth values"),
        // Reading takes every number but 0 for true.
        Rule(
          "\(type("'integer'")) AND \(value) NOT IN (0, 1)",
          "are truth values other than 0 and 1", repair: "1"),
      ]
    case .double: return [notNumber]
    case .float:
      return [
        notNumber,
        Rule(
          "\(isNumber) AND ABS(\(value) * 1.0) > 3.4028235677973366e38 AND NOT (\(infinite))",
          "are outside the range of Float"),
      ]
    case .date:
      return [
        Rule("NOT \(isNumber)", "are no dates"), Rule(infinite, "are infinite, which no date is"),
        Rule(
          "\(isNumber) AND ABS(\(value) * 1.0) > \(calendarEnd) AND NOT (\(infinite))",
          "are dates beyond the calendar"),
      ]
    case .decimal:
      return [
        notNumber,
        Rule(
          "\(isNumber) AND ABS(\(value) * 1.0) > \(greatestDecimal)",
          "are outside the range of Decimal"),
      ]
    case .string, .uri:
      let texts = [
        Rule("NOT \(type("'text'"))", "are no texts"),
        Rule(
          "\(type("'text'")) AND NOT \(SQLFunctionNames.isText)(\(value))",
          "are texts with bytes that are no characters"),
      ]
      guard storage == .uri else { return texts }
      return texts + [
        Rule(
          "\(type("'text'")) AND \(SQLFunctionNames.isText)(\(value))"
            + " AND NOT \(SQLFunctionNames.isURI)(\(value))", "are texts that are no URI")
      ]
    case .uuid:
      return [
        Rule(
          "NOT \(type("'blob'")) OR LENGTH(\(value)) <> 16", "are not the 16 bytes of a UUID")
      ]
    case .data, .transformable: return [Rule("NOT \(type("'blob'"))", "are no bytes")]
    case .object: return []
    }
  }
}
