import Foundation

/// Carries out a batch update inside a transaction.
///
/// Which rows it is for, and what is computed of them, is written into a temporary table first: so
/// every expression sees the rows as they were, and the update can be made in two steps where rows
/// exchange unique values.
struct BatchUpdater {
  private let update: BatchUpdate
  private let store: SQLiteStore
  private let connection: SQLiteConnection
  private let table: String

  init(_ update: BatchUpdate, store: SQLiteStore, connection: SQLiteConnection) throws {
    self.update = update
    self.store = store
    self.connection = connection
    table = SQLText.name(try store.schema.table(update.rows.layout))
  }

  func run(_ recorder: HistoryRecorder?) throws -> BatchOutcome {
    let builder = UpdateBuilder(update, schema: store.schema, origin: store.origin)
    try connection.run(SQLText(builder.rowTable))
    try connection.run(try builder.fill())
    do {
      try connection.run(try builder.write())
    } catch let error as SQLiteError where error.isUniqueness {
      // SQLite looks at the values after each row: they may be unique when all rows are done.
      guard let vacate = builder.vacate() else { throw error }
      try connection.run(vacate)
      try connection.run(try builder.write())
    }
    var outcome = BatchOutcome()
    try connection.run(SQLText("SELECT pk, ent FROM \(UpdateBuilder.rows) ORDER BY pk")) { row in
      let number = Int(truncatingIfNeeded: row.integer(1))
      outcome.updated.append(
        row.integer(0), store.schema.layout(number: number) ?? update.rows.layout, store.origin)
    }
    try recorder?.update(
      rowsOf: UpdateBuilder.rows, update.rows.layout.family, update.assignments.map(\.slot.index))
    try connection.run(SQLText("DROP TABLE \(UpdateBuilder.rows)"))
    return outcome
  }
}
