/// How a database writes what statements are made of: the part of SQL in which databases differ.
///
/// A statement gives what memory gives for the same request. Where a requirement answers nil, the database cannot
/// compute that: the statement is not made (``StatementLimit/notPushedDown(_:)``), and the objects answer instead
/// where the engine leaves that to them (``StoreEngine/leavesRestToObjects``).
///
/// Dates are numbers, the seconds since 2001, and the time of a request is a constant of it: no database's functions
/// of time are needed.
package protocol SQLDialect: Sendable {
  // MARK: Limits

  /// The most tables in a query.
  var mostTables: Int { get }
  /// The most parameters of a condition; the values of further ones are in its text.
  var mostParameters: Int { get }
  /// The most conditions in a row without parentheses.
  var longestList: Int { get }

  // MARK: Names and values

  /// A name in quotes.
  func name(_ name: String) -> String
  /// A parameter in a statement, the first being number 1, with its type where the database requires it.
  func parameter(_ number: Int, _ value: StoredValue) -> String
  /// A value as text, for statements that are kept in a file or have no place for parameters.
  func literal(_ value: StoredValue) -> String
  /// A value as text in a condition with more values than ``mostParameters``.
  func constant(_ value: StoredValue) -> String?
  /// A condition that is true, false or unknown for every row.
  func truth(_ value: Bool?) -> String
  /// The number in a cell of decimals, which may hold all digits; see ``StoreSchema/keepsExactDecimals``.
  func number(ofExact cell: String) -> String?
  /// A number as a whole one, its fraction cut off.
  func wholeNumber(_ number: SQLText) -> SQLText

  // MARK: Clauses

  /// A term of ORDER BY. Rows without a value come first, or last in descending order.
  func orderTerm(_ key: SQLText, ascending: Bool) -> SQLText
  /// ` LIMIT … OFFSET …`; a limit of nil is none.
  func limit(_ rows: Int?, offset: Int) -> SQLText
  /// A column that no index may be used for, where the database has a way to say so.
  func withoutIndex(_ column: String) -> String
  /// The beginning of a statement that inserts rows, and its end, where rows whose key is there already are left out.
  var insertMissing: (into: String, end: String) { get }
  /// A table of one connection as statements name it.
  func temporaryTable(_ name: String) -> String
  /// The statement that makes such a table.
  ///
  /// - Parameters:
  ///   - numbers: its columns of whole numbers.
  ///   - key: those of them that identify a row.
  ///   - values: its columns of other values.
  func makeTemporaryTable(
    _ name: String, numbers: [String], key: [String], values: [(name: String, kind: ValueKind)]
  ) -> String
  /// The statement that makes an index of such a table.
  func makeTemporaryIndex(_ name: String, on table: String, _ columns: [String]) -> String

  // MARK: Conditions

  /// Whether two values are equal or both missing.
  func areIdentical(_ left: SQLText, _ right: SQLText) -> SQLText
  /// Whether a value is one of a list, which is not empty.
  func isAmong(_ value: SQLText, _ list: [StoredValue]) -> SQLText?
  /// What a string operator says of a text and a pattern.
  func match(
    _ text: SQLText, _ type: NSComparisonPredicate.Operator,
    _ options: NSComparisonPredicate.Options, _ pattern: SQLText
  ) -> SQLText?
  /// A text as comparisons with options see it, in bytes.
  func folded(_ text: SQLText, _ options: NSComparisonPredicate.Options) -> SQLText?
  /// Whether a value is the mode of a group's values, as a function over the group.
  func isMode(_ value: SQLText, ofGroup values: SQLText, _ kind: ValueKind) -> SQLText?

  // MARK: Functions

  /// What a text is ordered by in a comparison of texts.
  func ordered(_ text: SQLText, _ comparison: StringComparison) -> SQLText?
  /// `+`, `-` and `*` of numbers.
  func arithmetic(
    _ operation: BoundExpression.ArithmeticOperator, _ left: SQLText, _ right: SQLText
  ) -> SQLText?
  /// A function of the values of one row.
  func function(_ function: BoundFunction, _ arguments: [SQLText]) -> SQLText?
  /// How many bytes a value has.
  func byteCount(_ value: SQLText) -> SQLText
  /// A random number, below a limit where there is one.
  func random(below limit: SQLText?, _ kind: ValueKind) -> SQLText?
  /// A function over the rows of a group, in a request for dictionaries.
  func aggregate(_ function: PredefinedFunction, _ value: SQLText, _ kind: ValueKind) -> SQLText?
  /// A function over the values of members.
  func statistic(_ function: PredefinedFunction, _ value: SQLText, _ kind: ValueKind) -> SQLText?
  /// A text in lower or upper case as an index has it, whose letters beyond ASCII stay as they are.
  func indexedCase(_ function: PredefinedFunction, _ text: SQLText) -> SQLText?
}

extension SQLDialect {
  /// What standard SQL says.
  package func name(_ name: String) -> String { SQLText.name(name) }
}
