import StoreEngine

/// A transaction that writes to a store: rows, their value files, the history and derived values are committed
/// together or not at all.
///
/// Saves, batch requests, migrations, repairs and other changes to the data of an existing store use it. Code that only
/// creates tables or replaces the whole content begins its own transaction, because nothing depends on its commit.
final class WriteTransaction {
  let connection: SQLiteConnection
  let files: ExternalWriter
  /// Nil if no history is recorded.
  let recorder: HistoryRecorder?
  private var commitActions: [() -> Void] = []

  private init(
    _ connection: SQLiteConnection, _ files: ExternalWriter, _ recorder: HistoryRecorder?
  ) {
    self.connection = connection
    self.files = files
    self.recorder = recorder
  }

  /// Runs `body` in a transaction of a connection. Commits when `body` returns, and rolls back when it throws.
  ///
  /// - Parameters:
  ///   - url: The file of the store.
  ///   - use: The value files; nil if the transaction writes none.
  ///   - cancellation: Rolls the transaction back if it is cancelled before the commit.
  static func run<Result>(
    on connection: SQLiteConnection, of url: URL, use: ExternalUse? = nil,
    recorder: HistoryRecorder? = nil, _ cancellation: Cancellation? = nil,
    _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    let files = ExternalWriter(url, use)
    let transaction = WriteTransaction(connection, files, recorder)
    do {
      let result = try connection.interruptible(by: cancellation) {
        try connection.transaction {
          let result = try body(transaction)
          try cancellation?.check()
          try recorder?.finish()
          // Only the commit may follow.
          try files.seal(on: connection)
          return result
        }
      }
      files.didCommit()
      for action in transaction.commitActions { action() }
      return result
    } catch {
      files.didRollBack(after: error)
      recorder?.didRollBack()
      throw error
    }
  }

  /// Calls `action` after the transaction was committed, but not if it was rolled back.
  func afterCommit(_ action: @escaping () -> Void) { commitActions.append(action) }
}

extension SQLiteStore {
  /// Writes to the file.
  ///
  /// - Parameters:
  ///   - action: The operation, as a verb, for errors.
  ///   - code: The code for SQLite errors that have no specific code.
  ///   - note: The author of the save, for the history and for observers of commits; nil if no row is changed.
  ///   - cancellation: Rolls the transaction back if it is cancelled before the commit.
  ///   - body: Writes. If it throws an error, the transaction is rolled back.
  func write<Result>(
    _ action: String, code: Int = NSPersistentStoreSaveError, _ note: SaveNote? = nil,
    _ cancellation: Cancellation? = nil, _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    try requireWritable()
    let result = try translatingErrors(action, code: code) {
      try pool.write(cancellation) { connection in
        // Set the names for each write, because the pool may have replaced the writing connection, and
        // the stores of a named database share one writing connection.
        connection.affected.follow(lateDerivations.names)
        return try WriteTransaction.run(
          on: connection, of: url, use: externalUse,
          recorder: note.flatMap { recorder($0, on: connection) }, cancellation
        ) { transaction in
          if note != nil { try requireModel(on: connection) }
          return try body(transaction)
        }
      }
    }
    if note != nil { noteCommit() }
    return result
  }

  private func requireWritable() throws {
    if isReadOnly { throw CoreDataError.readOnly("the store \(url.path)", at: url) }
  }

  private func recorder(_ note: SaveNote, on connection: SQLiteConnection) -> HistoryRecorder? {
    guard let history, history.isRecorded else { return nil }
    return HistoryRecorder(history, note, schema, origin, connection)
  }

  /// Computes late derived values, and returns the rows with derived values that depend on the changes of a
  /// transaction. Call this after everything else was written.
  func computedRows(in transaction: WriteTransaction) throws -> [ComputedRow] {
    try lateDerivations.refresh(schema, on: transaction.connection)
    return transaction.connection.affected.rows(in: schema)
  }
}
