import StoreEngine

/// One transaction that writes to a store: rows, the files of their values, the history and what is derived at its
/// end are committed together, or nothing is.
///
/// Saves, batch requests, migrations, repairs and all else that changes an existing store write through it. What
/// makes the tables of a store, or fills a new one, begins a transaction of its own: nothing follows from its commit.
final class WriteTransaction {
  let connection: SQLiteConnection
  let files: ExternalWriter
  /// Nil where nothing is recorded.
  let recorder: HistoryRecorder?
  private var commitActions: [() -> Void] = []

  private init(
    _ connection: SQLiteConnection, _ files: ExternalWriter, _ recorder: HistoryRecorder?
  ) {
    self.connection = connection
    self.files = files
    self.recorder = recorder
  }

  /// Runs `body` in a transaction of a connection: committed when it returns, rolled back when it throws.
  ///
  /// - Parameters:
  ///   - url: the store's file.
  ///   - use: the files of its values; nil where the transaction writes none.
  ///   - cancellation: rolls all of it back, as long as it is not committed.
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

  /// Calls `action` once the transaction is committed, and never if it is rolled back.
  func afterCommit(_ action: @escaping () -> Void) { commitActions.append(action) }
}

extension SQLiteStore {
  /// Writes to the file.
  ///
  /// - Parameters:
  ///   - action: what is done, as a verb, for errors.
  ///   - code: the code of errors of SQLite's that have none of their own.
  ///   - note: who saves rows, for the history and for observers of commits; nil where no row is changed.
  ///   - cancellation: rolls all of it back, as long as it is not committed.
  ///   - body: writes; an error rolls all of it back.
  func write<Result>(
    _ action: String, code: Int = NSPersistentStoreSaveError, _ note: SaveNote? = nil,
    _ cancellation: Cancellation? = nil, _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    try requireWritable()
    let result = try translatingErrors(action, code: code) {
      try pool.write(cancellation) { connection in
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

  /// The rows whose values followed from what a transaction wrote, after everything else is.
  func computedRows(in transaction: WriteTransaction) throws -> [ComputedRow] {
    try lateDerivations.refresh(schema, on: transaction.connection)
    return transaction.connection.affected.rows(in: schema)
  }
}
