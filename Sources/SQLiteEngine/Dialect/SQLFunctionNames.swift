import StoreEngine

/// The names of the library's SQL functions.
enum SQLFunctionNames {
  /// `f(text, operator, options, pattern)`
  static let match = "CoreDataMatch"
  /// Returns the name of the function that returns the sort key of a text, as bytes: `f(text)`.
  static func order(_ comparison: StringComparison) -> String {
    "CoreDataOrder_\(comparison)"
  }
  /// A collation by the code points of texts, like BINARY in a file with UTF-8.
  static let codePoints = "CoreDataCodePoints"
  /// `f(name, arguments…)`, with the name in ``BoundFunction/name``.
  static let function = "CoreDataFunction"
  static let random = "CoreDataRandom"
  /// Receives the values of a row; see ``RowReceiver``.
  static let row = "CoreDataRow"
  /// An aggregate function: `f(kind, value, member's value)`.
  static let isMode = "CoreDataIsMode"
  /// The number in a decimal cell, which may contain digits; see ``StoreSchema/keepsExactDecimals``.
  static let number = "CoreDataNumber"
  /// A text folded with comparison options, or its sort key, as bytes: `f(text, options)`.
  static let folded = "CoreDataFolded"
  /// A function that returns its argument, for constants in a condition that has too many parameters.
  static let literal = "CoreDataLiteral"
  /// The value of a text that ``ValueList`` encoded.
  static let decoded = "CoreDataDecoded"

  static let statistics: [PredefinedFunction] = [
    .sum, .average, .median, .standardDeviation,
  ]

  /// Returns the name of an aggregate function: `f(kind, value)`.
  static func statistic(_ function: PredefinedFunction) -> String {
    "CoreData_\(function)"
  }
}
