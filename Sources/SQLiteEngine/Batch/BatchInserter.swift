import StoreEngine

/// Writes the rows of a batch insertion inside a transaction, several with each statement.
struct BatchInserter {
  private static let rowLimit = 32

  private let insertion: BatchInsertion
  private let keys: BatchKeySource
  private let store: SQLiteStore
  private let transaction: WriteTransaction
  private let text: BatchInsertText
  /// The slots of the columns, and whether a value may be in a file. The bytes of such a value begin with a mark; see
  /// ``ExternalStorage``.
  private let columns: [(slot: Int, isMarked: Bool)]
  private let rowsPerStatement: Int
  private let settlesClashes: Bool

  /// The values of the buffered rows, row by row.
  private var values: [StoredValue] = []
  /// The primary keys of the buffered rows.
  private var waiting: [Int64] = []
  /// The slots that the buffered rows set, and those that they update in existing rows.
  private var presentSlots: [Int]?
  private var assigned: [Int] = []
  private var full: SQLiteStatement?

  private var outcome = BatchOutcome()
  private var firstKey: Int64?
  /// The existing rows that were updated, and the slots that were written into them.
  private var updated: [Int64: Set<Int>] = [:]
  private var writtenCount = 0

  init(
    _ insertion: BatchInsertion, store: SQLiteStore, in transaction: WriteTransaction
  ) throws {
    self.insertion = insertion
    keys = BatchKeySource(
      store, insertion.layout, expected: insertion.count, connection: transaction.connection)
    self.store = store
    self.transaction = transaction
    let layout = insertion.layout
    text = try BatchInsertText(insertion, store.schema)
    columns = text.slots.map { ($0, layout.slots[$0].mayBeExternal) }
    settlesClashes = insertion.clash != .fails && !layout.constraints.isEmpty
    // The additional parameter of each row is its primary key.
    rowsPerStatement = max(
      1, min(Self.rowLimit, transaction.connection.parameterLimit / (columns.count + 1)))
  }

  private var connection: SQLiteConnection { transaction.connection }
  private var files: ExternalWriter { transaction.files }

  mutating func run() throws -> BatchOutcome {
    let recorder = transaction.recorder
    let before = try presentFiles()
    var rows = BatchRowIterator(insertion)
    while try rows.next() {
      if insertion.updatesRows, presentSlots != rows.presentSlots {
        // The statement contains the slots that it updates, so buffered rows with other slots are
        // written first.
        try flush()
        full = nil
        presentSlots = rows.presentSlots
        assigned = text.assignments(presentSlots: rows.presentSlots)
      }
      let key = try keys.next()
      if firstKey == nil { firstKey = key }
      waiting.append(key)
      for column in columns {
        let value = rows.values[column.slot]
        if column.isMarked, case .data(let data) = value {
          values.append(.data(try files.column(data)))
        } else {
          values.append(value)
        }
      }
      if waiting.count == rowsPerStatement { try flush() }
    }
    try flush()
    try keys.end()
    if settlesClashes { files.settle(before: before, after: try presentFiles()) }
    for run in outcome.inserted.runs { try recorder?.insert(run.layout, run.keys) }
    for (key, slots) in updated.sorted(by: { $0.key < $1.key }) {
      outcome.updated.append(key, insertion.layout, store.origin)
      try recorder?.update(insertion.layout, key, slots)
    }
    return outcome
  }

  /// Returns the names of the value files that the table's rows refer to; empty if conflicts are errors or cannot
  /// occur, because every row is then inserted.
  private func presentFiles() throws -> [String] {
    let columns = store.schema.externalColumns(ofFamily: insertion.layout.root)
    guard settlesClashes, !columns.isEmpty else { return [] }
    return try ExternalWriter.names(
      columns, of: try store.schema.table(insertion.layout), where: SQLText("1"), on: connection)
  }

  /// Writes the buffered rows.
  private mutating func flush() throws {
    guard !waiting.isEmpty else { return }
    try insertion.cancellation?.check()
    let statement: SQLiteStatement
    if waiting.count == rowsPerStatement {
      // Keep the statement, so that its long text is not looked up each time.
      statement = try full ?? prepare(waiting.count)
      full = statement
    } else {
      statement = try prepare(waiting.count)
    }
    do {
      try bindAndRun(statement, waiting.indices)
    } catch let error as SQLiteError where error.isUniqueness {
      throw try clash(error)
    }
    writtenCount += waiting.count
    waiting.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
  }

  private func prepare(_ count: Int) throws -> SQLiteStatement {
    let sql = text.statement(
      rows: count, clash: settlesClashes ? insertion.clash : .fails, assigned: assigned)
    return try connection.statement(sql)
  }

  private mutating func bindAndRun(_ statement: SQLiteStatement, _ rows: Range<Int>) throws {
    var parameter = 1
    for row in rows {
      statement.bind(waiting[row], at: parameter)
      parameter += 1
      for place in row * columns.count..<(row + 1) * columns.count {
        statement.bind(values[place], at: parameter)
        parameter += 1
      }
    }
    defer { statement.reset() }
    // If conflicts are errors or cannot occur, all rows are inserted with their own keys.
    guard settlesClashes else {
      while try statement.step() {}
      for row in rows { outcome.inserted.append(waiting[row], insertion.layout, store.origin) }
      return
    }
    var written = 0
    while try statement.step() {
      written += 1
      let key = try PrimaryKey.validated(
        statement.integer(0), in: try store.schema.table(insertion.layout))
      // Keys increase, so a smaller key belongs to a row that existed before the request. A version
      // above 1 belongs to a row of this request that a later row updated.
      if key < firstKey ?? 0 {
        updated[key, default: []].formUnion(assigned)
      } else if statement.integer(1) == 1 {
        outcome.inserted.append(key, insertion.layout, store.origin)
      }
    }
    if insertion.clash == .updates, written < rows.count { throw try clashWithOtherEntity() }
  }

  // MARK: Rows that could not be written

  private func row(_ index: Int) -> ChangeSet.Row {
    let own = values[index * columns.count..<(index + 1) * columns.count]
    return ChangeSet.Row(
      layout: insertion.layout, key: waiting[index], version: 0,
      values: zip(columns, own).map { (slot: $0.slot, value: $1) })
  }

  /// Returns an error that identifies the row whose unique values exist already. Writes the rows one by one
  /// to find it.
  private mutating func clash(_ error: SQLiteError) throws -> NSError {
    let writer = ChangeWriter(schema: store.schema, connection: connection)
    // SQLite has undone the failed statement as a whole, so none of its rows exists.
    for index in waiting.indices {
      do {
        try bindAndRun(try prepare(1), index..<index + 1)
      } catch let error as SQLiteError where error.isUniqueness {
        return describe(index, try writer.violations(of: row(index), error))
      }
    }
    throw error
  }

  /// Returns an error for a conflict with rows of other entities. A constraint applies to the whole table, but this
  /// request may update only rows of its own entity.
  private func clashWithOtherEntity() throws -> NSError {
    let writer = ChangeWriter(schema: store.schema, connection: connection)
    for index in waiting.indices {
      let violations = try writer.violations(ofRow: row(index))
        .filter { $0.existingLayout !== insertion.layout }
      if !violations.isEmpty { return describe(index, violations) }
    }
    return CoreDataError.make(
      NSManagedObjectConstraintMergeError,
      "rows of the batch insertion into \(insertion.layout.name) could not be written",
      at: store.url.path)
  }

  private func describe(_ index: Int, _ violations: [ConstraintViolation]) -> NSError {
    let texts = violations.map {
      "the same \($0.names.joined(separator: ", ")) as \($0.existingLayout.name)"
        + " p\($0.existingKey)"
    }
    return CoreDataError.make(
      NSManagedObjectConstraintMergeError,
      "cannot insert into \(store.url.path): row \(writtenCount + index + 1) of the batch insertion"
        + " into \(insertion.layout.name) has \(texts.joined(separator: " and "))",
      at: store.url.path)
  }
}
