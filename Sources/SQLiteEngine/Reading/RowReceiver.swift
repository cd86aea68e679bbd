import CSQLite
import StoreEngine

/// Receives the rows of a query that passes them as arguments to a function: `SELECT CoreDataRow(…)`.
///
/// A function accesses its arguments directly. Reading a value from a statement makes several checks, which take a
/// third of the time for reading ten numbers.
///
/// SQLite calls the function once in each step, for the row that the step returns, unless it sorts the results of the
/// function. Then it calls the function for several rows in one step. The second call in a step throws `RowsAreSorted`,
/// and the caller runs the query again with result columns.
///
/// A connection has one receiver.
final class RowReceiver {
  /// Thrown if SQLite sorts the rows of a query. No row was returned yet.
  struct RowsAreSorted: Error {}

  // The caller of `step` retains both, so nothing is retained for each row.
  @exclusivity(unchecked)
  private var target: (decoder: Unmanaged<RowDecoder>, batch: Unmanaged<RowBatch>)?
  @exclusivity(unchecked)
  private var hasRow = false
  private var error: (any Error)?
  /// The additional value of the row, if the query selects one after the decoder's values.
  @exclusivity(unchecked)
  private(set) var extra: Int64 = 0

  /// Moves a statement to its next row, and appends the row to a batch. Returns false if there is none.
  ///
  /// - Throws: `RowsAreSorted`, and the errors of the statement and the decoder.
  func step(
    _ statement: SQLiteStatement, _ decoder: RowDecoder, into batch: RowBatch
  ) throws -> Bool {
    target = (.passUnretained(decoder), .passUnretained(batch))
    hasRow = false
    defer { target = nil }
    do {
      return try statement.step()
    } catch {
      guard let own = self.error else { throw error }
      self.error = nil
      throw own
    }
  }

  private func receive(_ count: Int, _ cells: ArgumentCells) throws {
    // Without a target, no query is waiting for the row. SQL in a file's schema cannot call the function.
    guard let target else { return }
    if hasRow { throw RowsAreSorted() }
    hasRow = true
    try target.decoder._withUnsafeGuaranteedRef { decoder in
      try target.batch._withUnsafeGuaranteedRef { try decoder.decode(cells, into: $0) }
      if count > decoder.resultCount { extra = cells.integer(decoder.resultCount) }
    }
  }

  /// `f(value…)`
  static let function: SQLiteFunctions.Function = { context, count, arguments in
    guard let arguments, let box = sqlite3_user_data(context) else { return }
    Unmanaged<RowReceiver>.fromOpaque(box)._withUnsafeGuaranteedRef { receiver in
      do {
        try receiver.receive(Int(count), ArgumentCells(values: arguments))
      } catch {
        receiver.error = error
        sqlite3_result_error(context, "the row cannot be received", -1)
      }
    }
  }
}

/// The form in which a query returns rows.
enum RowForm {
  /// As the arguments of a function; see ``RowReceiver``. Only for queries that SQLite does not sort.
  case handedOver
  /// As result columns.
  case columns

  /// Returns the SQL of the selected values.
  func selection(_ values: String) -> String {
    self == .columns ? values : "\(SQLFunctionNames.row)(\(values))"
  }

  /// Returns the forms to try, in order. SQLite allows 127 arguments by default (1000 since version 3.48), but may be
  /// built with a lower limit.
  static func forms(forValues count: Int) -> [RowForm] {
    count > 90 ? [.columns] : [.handedOver, .columns]
  }
}
