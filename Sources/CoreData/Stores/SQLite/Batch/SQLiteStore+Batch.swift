import Foundation

extension SQLiteStore: BatchEngine {
  func insert(_ insertion: BatchInsertion) throws -> BatchOutcome {
    try writeBatch("insert into") { connection in
      let keys = BatchKeySource(
        self, insertion.layout, expected: insertion.count, connection: connection)
      var inserter = try BatchInserter(insertion, keys, store: self, connection: connection)
      return try inserter.run()
    }
  }

  func update(_ update: BatchUpdate) throws -> BatchOutcome {
    try writeBatch("update") { connection in
      try BatchUpdater(update, store: self, connection: connection).run()
    }
  }

  func delete(_ deletion: BatchDeletion) throws -> BatchOutcome {
    try writeBatch("delete from") { connection in
      try BatchDeleter(deletion, store: self, connection: connection).run()
    }
  }

  /// The one way of a batch into the file: a transaction, at whose end all its rows are known and
  /// nothing is committed yet.
  private func writeBatch(
    _ action: String, _ body: (SQLiteConnection) throws -> BatchOutcome
  ) throws -> BatchOutcome {
    try translatingErrors(action, code: NSPersistentStoreSaveError) {
      try pool.write { connection in
        try connection.transaction { try body(connection) }
      }
    }
  }
}

extension SQLiteConnection {
  /// Runs one statement, and gives each row that it has.
  func run(_ text: SQLText, _ row: (SQLiteStatement) throws -> Void = { _ in }) throws {
    Log.statement(text.text, parameters: text.parameters.count)
    let statement = try statement(text.text)
    defer { statement.reset() }
    statement.bind(text.parameters)
    while try statement.step() { try row(statement) }
  }
}
