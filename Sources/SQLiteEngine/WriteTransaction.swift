import StoreEngine

/// One transaction of a store's writing connection: rows, the files of their values, the history and what is derived at
/// its end are committed together, or nothing is. Saves and batch requests write through it.
struct WriteTransaction {
  let connection: SQLiteConnection
  let files: ExternalWriter
  /// Nil where nothing is recorded.
  let recorder: HistoryRecorder?
  fileprivate let store: SQLiteStore

  /// The rows whose values followed from what was written, after everything else is.
  func computedRows() throws -> [ComputedRow] {
    try store.lateDerivations.refresh(store.schema, on: connection)
    return connection.affected.rows(in: store.schema)
  }
}

extension SQLiteStore {
  /// Writes to the file.
  ///
  /// - Parameters:
  ///   - action: what is done, as a verb, for errors.
  ///   - note: who does it, for a store that keeps that.
  ///   - cancellation: takes all of it back, as long as it is not committed.
  ///   - body: writes; an error takes all of it back.
  func write<Result>(
    _ action: String, _ note: SaveNote, _ cancellation: Cancellation? = nil,
    _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    let result = try translatingErrors(action, code: NSPersistentStoreSaveError) {
      try pool.write(cancellation) { connection in
        try withFiles { files in
          try connection.interruptible(by: cancellation) {
            try recording(note, on: connection) { recorder in
              let result = try body(
                WriteTransaction(
                  connection: connection, files: files, recorder: recorder, store: self))
              try cancellation?.check()
              try files.seal(on: connection)
              return result
            }
          }
        }
      }
    }
    noteCommit()
    return result
  }
}
