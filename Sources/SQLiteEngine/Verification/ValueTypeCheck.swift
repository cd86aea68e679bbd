import StoreEngine

/// Checks that values have the types that the model declares, and are within the ranges of these types.
///
/// SQLite stores any value in any column, so other programs can write values that an attribute cannot have. Reading
/// such a value returns a converted value, the value as it is, or nil.
struct ValueTypeCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.storedProperties.flatMap { property -> [StoreProblem] in
      guard case .attribute(let column) = property.mapping, let storage = property.slot.storage
      else { return [] }
      let value = "t.\(SQLText.name(column))"
      return try Self.rules(for: storage, value).compactMap { rule in
        try store.problem(
          .invalidValue, property, column, where: "\(value) IS NOT NULL AND (\(rule.condition))",
          rule)
      }
    }
  }

  /// The last date that Foundation's calendars support, in seconds since 2001: in the year 5,828,963.
  private static let calendarEnd = "183881190614400.0"
  /// `NSDecimalNumber.maximum`.
  private static let greatestDecimal = "3.4028236692093847e165"

  private static func rules(for storage: AttributeStorage, _ value: String) -> [ValueRule] {
    func type(_ names: String) -> String { "typeof(\(value)) IN (\(names))" }
    let isNumber = type("'integer', 'real'")
    let notNumber = ValueRule("NOT \(isNumber)", CountedText("is not a number", "are not numbers"))
    // SQL has no literal for infinity, but 9e999 overflows to it. Multiplying by 1.0 converts an
    // integer to a double, because `ABS` of the least integer is an error in SQLite.
    let infinite = "\(isNumber) AND ABS(\(value) * 1.0) = 9e999"
    func whole(_ name: String, _ limit: Int64) -> [ValueRule] {
      [
        ValueRule("NOT \(type("'integer'"))", CountedText("is not an integer", "are not integers")),
        ValueRule(
          "\(type("'integer'")) AND \(value) NOT BETWEEN \(-limit - 1) AND \(limit)",
          CountedText("is", "are", " outside the range of \(name)")),
      ]
    }
    switch storage {
    case .integer16: return whole("Integer 16", Int64(Int16.max))
    case .integer32: return whole("Integer 32", Int64(Int32.max))
    case .integer64:
      return [
        ValueRule("NOT \(type("'integer'"))", CountedText("is not an integer", "are not integers"))
      ]
    case .boolean:
      return [
        ValueRule(
          "NOT \(type("'integer'"))",
          CountedText("is not a Boolean value", "are not Boolean values")),
        // Reading converts every number except 0 to true.
        ValueRule(
          "\(type("'integer'")) AND \(value) NOT IN (0, 1)",
          CountedText(
            "is a Boolean value other than 0 and 1", "are Boolean values other than 0 and 1"),
          repair: "1"),
      ]
    case .double: return [notNumber]
    case .float:
      return [
        notNumber,
        ValueRule(
          // Reading rounds this limit and greater numbers to infinity, and numbers between the greatest
          // Float and this limit to the greatest Float.
          "\(isNumber) AND ABS(\(value) * 1.0) >= 3.4028235677973366e38 AND NOT (\(infinite))",
          CountedText("is", "are", " outside the range of Float")),
      ]
    case .date:
      return [
        ValueRule("NOT \(isNumber)", CountedText("is not a date", "are not dates")),
        ValueRule(infinite, CountedText("is", "are", " infinite, which is not a date")),
        ValueRule(
          "\(isNumber) AND ABS(\(value) * 1.0) > \(calendarEnd) AND NOT (\(infinite))",
          CountedText("is a date beyond the calendar", "are dates beyond the calendar")),
      ]
    case .decimal:
      return [
        notNumber,
        ValueRule(
          "\(isNumber) AND ABS(\(value) * 1.0) > \(greatestDecimal)",
          CountedText("is", "are", " outside the range of Decimal")),
      ]
    case .string, .uri:
      let texts = [
        ValueRule("NOT \(type("'text'"))", CountedText("is not a string", "are not strings")),
        ValueRule(
          "\(type("'text'")) AND NOT \(SQLFunctionNames.isText)(\(value))",
          CountedText("is a string with invalid UTF-8", "are strings with invalid UTF-8")),
      ]
      guard storage == .uri else { return texts }
      return texts + [
        ValueRule(
          "\(type("'text'")) AND \(SQLFunctionNames.isText)(\(value))"
            + " AND NOT \(SQLFunctionNames.isURI)(\(value))",
          CountedText("is a string that is not a URI", "are strings that are not URIs"))
      ]
    case .uuid:
      return [
        ValueRule(
          "NOT \(type("'blob'")) OR LENGTH(\(value)) <> 16",
          CountedText("is", "are", " not the 16 bytes of a UUID"))
      ]
    case .data, .transformable:
      return [ValueRule("NOT \(type("'blob'"))", CountedText("is", "are", " not data"))]
    case .object: return []
    }
  }
}
