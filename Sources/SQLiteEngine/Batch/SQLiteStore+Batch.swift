import StoreEngine

extension SQLiteStore: BatchEngine {
  func insert(_ insertion: BatchInsertion, note: SaveNote) throws -> BatchOutcome {
    try writeBatch("insert into", note, insertion.cancellation) { transaction in
      let keys = BatchKeySource(
        self, insertion.layout, expected: insertion.count, connection: transaction.connection)
      var inserter = try BatchInserter(
        insertion, keys, store: self, connection: transaction.connection, files: transaction.files)
      return try inserter.run(transaction.recorder)
    }
  }

  func update(_ update: BatchUpdate, note: SaveNote) throws -> BatchOutcome {
    try writeBatch("update", note, update.rows.cancellation) { transaction in
      try BatchUpdater(
        update, store: self, connection: transaction.connection, files: transaction.files
      ).run(transaction.recorder)
    }
  }

  func delete(_ deletion: BatchDeletion, note: SaveNote) throws -> BatchOutcome {
    try writeBatch("delete from", note, deletion.rows.cancellation) { transaction in
      let outcome = try BatchDeleter(
        deletion, store: self, connection: transaction.connection, files: transaction.files
      ).run(transaction.recorder)
      try deletion.beforeCommit?(BatchDeletionFigures(outcome))
      return outcome
    }
  }

  /// Writes a batch: at the end of the transaction all its rows are known, and nothing is committed yet.
  private func writeBatch(
    _ action: String, _ note: SaveNote, _ cancellation: Cancellation?,
    _ body: (WriteTransaction) throws -> BatchOutcome
  ) throws -> BatchOutcome {
    try write(action, note, cancellation) { transaction in
      var outcome = try body(transaction)
      let (written, recorder) = (outcome.written, transaction.recorder)
      let computed = try computedRows(in: transaction)
      try recorder?.extendUpdates(by: computed.filter { written.contains($0.key, $0.layout) })
      for (number, row) in computed.enumerated() {
        if number % 1024 == 0 { try cancellation?.check() }
        if written.contains(row.key, row.layout) { continue }
        outcome.computed.append(row.key, row.layout, origin)
        try recorder?.update(row.layout, row.key, row.slots)
      }
      return outcome
    }
  }
}
