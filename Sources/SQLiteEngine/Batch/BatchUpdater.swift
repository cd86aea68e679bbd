import StoreEngine

/// Carries out a batch update inside a transaction.
///
/// The rows and their computed values are first recorded in a temporary table. Thus, every
/// expression sees the rows as they were before the update, and rows can exchange unique values in
/// two steps.
struct BatchUpdater {
  private let update: BatchUpdate
  private let store: SQLiteStore
  private let transaction: WriteTransaction
  private let table: String
  private let builder: UpdateBuilder

  init(
    _ update: BatchUpdate, store: SQLiteStore, in transaction: WriteTransaction
  ) throws {
    self.update = update
    self.store = store
    self.transaction = transaction
    let files = transaction.files
    table = SQLText.name(try store.schema.table(update.rows.layout))
    builder = UpdateBuilder(
      update, schema: store.schema, origin: store.origin, dialect: store.dialect,
      // Each row gets its own file later, in `writeFiles`.
      column: { files.keepsOutside($0) ? .null : .data(ExternalStorage.marked($0)) })
  }

  private var connection: SQLiteConnection { transaction.connection }
  private var files: ExternalWriter { transaction.files }

  func run() throws -> BatchOutcome {
    try connection.run(SQLText(builder.rowTable))
    try connection.run(try builder.fill())
    let layout = update.rows.layout
    try files.release(
      store.schema.externalColumns(layout, slots: update.assignments.map(\.slot.index)),
      of: try store.schema.table(layout),
      where: SQLText("Z_PK IN (SELECT pk FROM \(builder.rows))"), on: connection)
    do {
      try connection.run(try builder.write())
    } catch let error as SQLiteError where error.isUniqueness {
      // SQLite checks constraints after each row, although the values may be unique when all rows are updated.
      guard let clearing = builder.clearUniqueValues() else { throw error }
      try connection.run(clearing)
      try connection.run(try builder.write())
    }
    // An expression may have copied a cell that refers to a file, so that several cells refer to the file now.
    if update.assignments.contains(where: {
      if case .expression = $0.value { $0.slot.mayBeExternal } else { false }
    }) {
      connection.repeatedFiles.forget()
    }
    try writeFiles()
    var outcome = BatchOutcome()
    try connection.run(SQLText("SELECT pk, ent FROM \(builder.rows) ORDER BY pk")) { row in
      let number = Int(truncatingIfNeeded: row.integer(1))
      outcome.updated.append(
        try PrimaryKey.validated(row.integer(0), in: try store.schema.table(layout)),
        store.schema.layout(number: number, declared: layout), store.origin)
    }
    try transaction.recorder?.update(
      rowsOf: builder.rows, update.rows.layout.family, update.assignments.map(\.slot.index))
    try connection.run(SQLText("DROP TABLE \(builder.rows)"))
    return outcome
  }

  /// Writes a separate file for each row if a value is too large to be stored in the rows.
  private func writeFiles() throws {
    for (slot, value) in update.assignments {
      guard case .constant(.data(let data)) = value, files.keepsOutside(data),
        let column = store.schema.externalColumns(update.rows.layout, slots: [slot.index]).first
      else { continue }
      // Each row needs its own file, because the file is removed with the row.
      let keys = try connection.rows("SELECT pk FROM \(builder.rows)") { $0.integer(0) }
      for key in keys {
        try connection.run(
          "UPDATE \(table) SET \(SQLText.name(column)) = ? WHERE Z_PK = ?",
          [.data(try files.column(data)), .integer(key)])
      }
    }
  }
}
