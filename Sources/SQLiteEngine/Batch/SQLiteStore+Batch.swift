import Foundation
import StoreEngine

extension SQLiteStore: BatchEngine {
  func insert(_ insertion: BatchInsertion, note: SaveNote) throws -> BatchOutcome {
    try writeBatch("insert into", note, insertion.cancellation) { connection, files, recorder in
      let keys = BatchKeySource(
        self, insertion.layout, expected: insertion.count, connection: connection)
      var inserter = try BatchInserter(
        insertion, keys, store: self, connection: connection, files: files)
      return try inserter.run(recorder)
    }
  }

  func update(_ update: BatchUpdate, note: SaveNote) throws -> BatchOutcome {
    try writeBatch("update", note, update.rows.cancellation) { connection, files, recorder in
      try BatchUpdater(update, store: self, connection: connection, files: files).run(recorder)
    }
  }

  func delete(_ deletion: BatchDeletion, note: SaveNote) throws -> BatchOutcome {
    try writeBatch("delete from", note, deletion.rows.cancellation) { connection, files, recorder in
      let outcome = try BatchDeleter(
        deletion, store: self, connection: connection, files: files
      ).run(recorder)
      try deletion.beforeCommit?(BatchDeletionFigures(outcome))
      return outcome
    }
  }

  /// The one way of a batch into the file: a transaction, at whose end all its rows are known and
  /// nothing is committed yet.
  ///
  /// - Parameters:
  ///   - note: who does it, for a store that keeps that.
  ///   - cancellation: takes all of it back, as long as it is not committed.
  private func writeBatch(
    _ action: String, _ note: SaveNote, _ cancellation: Cancellation?,
    _ body: (SQLiteConnection, ExternalWriter, HistoryRecorder?) throws -> BatchOutcome
  ) throws -> BatchOutcome {
    let outcome = try translatingErrors(action, code: NSPersistentStoreSaveError) {
      try pool.write(cancellation) { connection in
        try withFiles { files in
          try connection.interruptible(by: cancellation) {
            try recording(note, on: connection) { recorder in
              var outcome = try body(connection, files, recorder)
              try lateDerivations.refresh(schema, on: connection)
              let written = outcome.written
              let computed = connection.affected.rows(in: schema)
              try recorder?.extendUpdates(
                by: computed.filter { written.contains($0.key, $0.layout) })
              for (number, row) in computed.enumerated() {
                if number % 1024 == 0 { try cancellation?.check() }
                if written.contains(row.key, row.layout) { continue }
                outcome.computed.append(row.key, row.layout, origin)
                try recorder?.update(row.layout, row.key, row.slots)
              }
              try cancellation?.check()
              try files.seal(on: connection)
              return outcome
            }
          }
        }
      }
    }
    noteCommit()
    return outcome
  }
}

extension SQLiteConnection {
  /// Runs one statement, and gives each row that it has.
  func run(_ text: SQLText, _ row: (SQLiteStatement) throws -> Void = { _ in }) throws {
    let statement = try statement(text.text)
    defer { statement.reset() }
    statement.bind(text.parameters)
    while try statement.step() { try row(statement) }
  }
}
