import StoreEngine

/// The functions that this library gives to the database.
enum SQLFunctionNames {
  /// `f(text, operator, options, pattern)`
  static let match = "CoreDataMatch"
  /// The bytes that order a text: `f(text)`.
  static func order(_ comparison: StringComparison) -> String {
    "CoreDataOrder_\(comparison)"
  }
  /// `f(name, arguments…)`, the name as in ``BoundFunction/name``.
  static let function = "CoreDataFunction"
  static let random = "CoreDataRandom"
  /// Takes the values of a row: see ``RowReceiver``.
  static let row = "CoreDataRow"
  /// An aggregate: `f(kind, value, member's value)`.
  static let isMode = "CoreDataIsMode"
  /// The number of a decimal's cell, which may hold its digits: see ``StoreSchema/keepsExactDecimals``.
  static let number = "CoreDataNumber"
  /// A text as options of comparisons see it, in bytes: `f(text, options)`.
  static let folded = "CoreDataFolded"
  /// Its argument: a constant of a long condition.
  static let literal = "CoreDataLiteral"
  /// The value of a text that ``ValueList`` made.
  static let decoded = "CoreDataDecoded"

  static let statistics: [PredefinedFunction] = [
    .sum, .average, .median, .standardDeviation,
  ]

  /// An aggregate: `f(kind, value)`.
  static func statistic(_ function: PredefinedFunction) -> String {
    "CoreData_\(function)"
  }
}
