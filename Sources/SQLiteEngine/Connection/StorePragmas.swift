import StoreEngine

/// The pragmas of a program, grouped by their effects.
///
/// Most are settings of a connection, and every connection of a store gets them. Some determine how a file is
/// created, so they must be set before it has content. Some change the file, so only one connection gets them.
struct StorePragmas {
  let options: StoreOptions

  /// The pragmas that must precede the WAL mode or the content of a new file.
  private static let ofNewFiles: Set<String> = ["auto_vacuum", "encoding", "page_size"]
  /// The pragmas that change the file or allow writing, or would prevent concurrent readers.
  private static let ofWriters: Set<String> = [
    "application_id", "auto_vacuum", "default_cache_size", "encoding", "incremental_vacuum",
    "journal_mode", "locking_mode", "optimize", "page_size", "query_only", "schema_version",
    "user_version", "wal_checkpoint",
  ]
  /// The library controls checkpoints; see `Checkpointing`.
  private static let ours: Set<String> = ["wal_autocheckpoint"]

  /// Applies the pragmas of a new file to a database in memory.
  ///
  /// - Throws: An error if a pragma is malformed or SQLite rejects it.
  func rehearse() throws {
    if options.pragmas.isEmpty { return }
    let connection = try SQLiteConnection(
      path: ":memory:", mode: .readWriteCreate, busyTimeout: 0, log: StatementLog(level: 0))
    try prepareNewDatabase(connection)
    try beginNewDatabase(connection)
    try finishNewDatabase(connection)
  }

  /// Configures a connection to an empty database, before anything is written.
  func prepareNewDatabase(_ connection: SQLiteConnection) throws {
    // `auto_vacuum` writes the first page, which would be committed before the tables are created.
    try apply(to: connection) { Self.ofNewFiles.contains($0) && $0 != "auto_vacuum" }
  }

  /// Makes the first write, inside the transaction that creates the tables.
  func beginNewDatabase(_ connection: SQLiteConnection) throws {
    if options.pragma("auto_vacuum") == nil {
      // As in Apple's stores, whose metadata has `_NSAutoVacuumLevel` 2.
      try connection.execute("PRAGMA auto_vacuum = incremental")
    } else {
      try apply(to: connection) { $0 == "auto_vacuum" }
    }
  }

  /// Whether a new file uses WAL mode, because the program sets no other mode.
  var wantsWAL: Bool { options.pragma("journal_mode") == nil }

  /// Applies the pragmas that follow the creation of the tables.
  func finishNewDatabase(_ connection: SQLiteConnection) throws {
    try apply(to: connection) { !Self.ofNewFiles.contains($0) }
  }

  /// Configures the writer. If the store is opened for reading only, its writer cannot write, and gets only the pragmas
  /// of connections for reading.
  func applyToWriter(_ connection: SQLiteConnection) throws {
    guard !options.isReadOnly else { return try applyToReadConnection(connection) }
    try apply(to: connection) { _ in true }
  }

  func applyToReadConnection(_ connection: SQLiteConnection) throws {
    try apply(to: connection) { !Self.ofWriters.contains($0) }
  }

  private func apply(to connection: SQLiteConnection, where isWanted: (String) -> Bool) throws {
    // Sort in reverse alphabetical order, because `page_size` must precede `auto_vacuum`, which writes
    // a page.
    for (name, value) in options.pragmas.sorted(by: { $0.key > $1.key }) {
      let key = name.lowercased()
      guard isWanted(key), !Self.ours.contains(key) else { continue }
      // The name and the value become part of a statement, and must not contain another statement.
      guard name.allSatisfy({ $0.isLetter || $0 == "_" }),
        value.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" })
      else {
        throw CoreDataError.badRequest("not a SQLite pragma: \(name) = \(value)")
      }
      // A hyphen is a sign before a number, and part of a name such as UTF-16le.
      let isName = value.contains { $0.isLetter }
      try connection.execute("PRAGMA \(name) = \(isName ? "'\(value)'" : value)")
    }
  }
}
