/// The parts of SQL in which databases differ.
///
/// Statements must return the results that evaluation in memory returns for the same request. If a method returns nil,
/// the database cannot compute the expression. Then no statement is made (``StatementLimit/notPushedDown(_:)``), and
/// the request is evaluated on objects, if the engine allows that (``StoreEngine/leavesRestToObjects``).
///
/// Dates are numbers, the seconds since 2001, and the time of a request is a constant in it, so no date functions of
/// databases are needed.
package protocol SQLDialect: Sendable {
  /// The name of the database in error messages.
  var databaseName: String { get }

  // MARK: Limits

  /// The maximum number of tables in a query.
  var mostTables: Int { get }
  /// The maximum number of parameters in a condition. If it has more values, most of them become constants in its text.
  var mostParameters: Int { get }
  /// The maximum number of consecutive conditions without parentheses.
  var longestList: Int { get }

  // MARK: Names and values

  /// Returns a quoted name.
  func name(_ name: String) -> String
  /// Returns a parameter of a statement, with its type if the database requires it. The first parameter has the
  /// number 1.
  func parameter(_ number: Int, _ value: StoredValue) -> String
  /// Returns a value as SQL text, for statements that are stored in a file or cannot have parameters.
  func literal(_ value: StoredValue) -> String
  /// Returns a value as SQL text in a condition with more values than ``mostParameters``.
  func constant(_ value: StoredValue) -> String?
  /// Returns a condition that is true, false or unknown for every row.
  func truth(_ value: Bool?) -> String
  /// Returns the number in a decimal cell, which may contain all digits as UTF-8 bytes; see
  /// ``StoreSchema/keepsExactDecimals``.
  func number(ofExact cell: String) -> String?
  /// Returns a number without its fraction.
  func wholeNumber(_ number: SQLText) -> SQLText

  // MARK: Clauses

  /// Returns a term of ORDER BY. Rows without a value come first, or last in descending order.
  func orderTerm(_ key: SQLText, ascending: Bool) -> SQLText
  /// Returns ` LIMIT … OFFSET …`. If `rows` is nil, there is no limit.
  func limit(_ rows: Int?, offset: Int) -> SQLText
  /// Returns a column in a form that prevents the use of indexes, if the database has a syntax for that.
  func withoutIndex(_ column: String) -> String
  /// The beginning and end of a statement that inserts rows but ignores those whose key exists.
  var insertMissing: (into: String, end: String) { get }
  /// Returns the name, as statements contain it, of a temporary table, which only one connection can access.
  func temporaryTable(_ name: String) -> String
  /// Returns a statement that creates a temporary table.
  ///
  /// - Parameters:
  ///   - numbers: The integer columns.
  ///   - key: The integer columns that identify a row.
  ///   - values: The columns of other values.
  func makeTemporaryTable(
    _ name: String, numbers: [String], key: [String], values: [(name: String, kind: ValueKind)]
  ) -> String
  /// Returns a statement that creates an index of a temporary table.
  func makeTemporaryIndex(_ name: String, on table: String, _ columns: [String]) -> String

  // MARK: Conditions

  /// Returns whether two values are equal or both missing.
  func areIdentical(_ left: SQLText, _ right: SQLText) -> SQLText
  /// Returns whether a value is in a list, which is not empty.
  func isAmong(_ value: SQLText, _ list: [StoredValue]) -> SQLText?
  /// Returns whether a string matches a pattern with a string operator.
  func match(
    _ text: SQLText, _ type: NSComparisonPredicate.Operator,
    _ options: NSComparisonPredicate.Options, _ pattern: SQLText
  ) -> SQLText?
  /// Returns the UTF-8 bytes of a string after folding, or with `[l]` its sort key in the user's locale. Strings that
  /// are equal with these options have equal bytes.
  func folded(_ text: SQLText, _ options: NSComparisonPredicate.Options) -> SQLText?
  /// Returns whether a value is one of the modes of a group's values, as an aggregate function.
  func isMode(_ value: SQLText, ofGroup values: SQLText, _ kind: ValueKind) -> SQLText?

  // MARK: Functions

  /// Returns the value by which a string is sorted in a text comparison.
  func ordered(_ text: SQLText, _ comparison: StringComparison) -> SQLText?
  /// Returns `+`, `-` or `*` of numbers.
  func arithmetic(
    _ operation: BoundExpression.ArithmeticOperator, _ left: SQLText, _ right: SQLText
  ) -> SQLText?
  /// Returns a function of the values of one row.
  func function(_ function: BoundFunction, _ arguments: [SQLText]) -> SQLText?
  /// Returns the size of a value in bytes.
  func byteCount(_ value: SQLText) -> SQLText
  /// Returns a random number, below a limit if there is one.
  func random(below limit: SQLText?, _ kind: ValueKind) -> SQLText?
  /// Returns an aggregate function over the rows of a group, in a dictionary request.
  func aggregate(_ function: PredefinedFunction, _ value: SQLText, _ kind: ValueKind) -> SQLText?
  /// Returns an aggregate function over the values of the members of a to-many relationship.
  func statistic(_ function: PredefinedFunction, _ value: SQLText, _ kind: ValueKind) -> SQLText?
  /// Returns a string in lowercase or uppercase as indexes contain it, without changing letters beyond ASCII.
  func indexedCase(_ function: PredefinedFunction, _ text: SQLText) -> SQLText?
}

extension SQLDialect {
  /// Returns a quoted name in standard SQL.
  package func name(_ name: String) -> String { SQLText.name(name) }
}
