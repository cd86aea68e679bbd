import CSQLite
import StoreEngine

/// Receives the rows of a query that passes them as arguments of a function: `SELECT CoreDataRow(…)`.
///
/// A function sees its arguments as they lie there, while each value that is asked of a statement costs
/// several checks; a third of the time of reading ten numbers. The function is called as a row is
/// made, which is when it is given out, unless SQLite sorts rows that are made: that is noticed when
/// it is called twice in one step, and the query is to be run in its plain form.
///
/// One a connection.
final class RowReceiver {
  /// Thrown by the step of a query whose rows SQLite sorts; none was given out.
  struct RowsAreSorted: Error {}

  // Whoever steps keeps both; nothing is retained for a row.
  @exclusivity(unchecked)
  private var target: (decoder: Unmanaged<RowDecoder>, batch: Unmanaged<RowBatch>)?
  @exclusivity(unchecked)
  private var hasRow = false
  private var error: (any Error)?
  /// The value after those of the decoder, where the query has one.
  @exclusivity(unchecked)
  private(set) var extra: Int64 = 0

  /// Moves a statement to its next row, and appends that to a batch.
  ///
  /// - Throws: `RowsAreSorted`; the statement's errors.
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
    // A text of a stranger's cannot call it; without a target no query waits for the row.
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
        sqlite3_result_error(context, "the rows cannot be taken", -1)
      }
    }
  }
}

/// How a query gives the rows of a reader.
enum RowForm {
  /// As the arguments of a function: see ``RowReceiver``. Only where SQLite does not sort.
  case handedOver
  /// As result columns.
  case columns

  /// What is selected, as SQL.
  func selection(_ values: String) -> String {
    self == .columns ? values : "\(SQLFunctionNames.row)(\(values))"
  }

  /// SQLite allows 127 arguments, or fewer where it was built so.
  static func forms(forValues count: Int) -> [RowForm] {
    count > 90 ? [.columns] : [.handedOver, .columns]
  }
}
