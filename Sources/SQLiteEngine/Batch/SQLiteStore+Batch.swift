import StoreEngine

extension SQLiteStore: BatchEngine {
  func insert(_ insertion: BatchInsertion, note: SaveNote) throws -> BatchOutcome {
    try writeBatch("insert into", note, insertion.cancellation) { transaction in
      var inserter = try BatchInserter(insertion, store: self, in: transaction)
      return try inserter.run()
    }
  }

  func update(_ update: BatchUpdate, note: SaveNote) throws -> BatchOutcome {
    try writeBatch("update", note, update.rows.cancellation) { transaction in
      try BatchUpdater(update, store: self, in: transaction).run()
    }
  }

  func delete(_ deletion: BatchDeletion, note: SaveNote) throws -> BatchOutcome {
    try writeBatch("delete from", note, deletion.rows.cancellation) { transaction in
      let outcome = try BatchDeleter(deletion, store: self, in: transaction).run()
      try deletion.beforeCommit?(BatchDeletionFigures(outcome))
      return outcome
    }
  }

  /// Executes a batch request. Before the commit, adds the rows whose derived values changed to the outcome and the
  /// history.
  private func writeBatch(
    _ action: String, _ note: SaveNote, _ cancellation: Cancellation?,
    _ body: (WriteTransaction) throws -> BatchOutcome
  ) throws -> BatchOutcome {
    try write(action, note, cancellation) { transaction in
      var outcome = try body(transaction)
      let (written, recorder) = (outcome.written, transaction.recorder)
      let computed = try computedRows(in: transaction)
      // A transaction of the history has only one change for each row, so computed properties are
      // added to the row's update.
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
