import StoreEngine

/// The pragmas that a program asks for, by what they are for.
///
/// Most are settings of a connection, which each of a store's connections gets. Some say how a file
/// is made and come before anything is in it; some change the file, and one connection does that.
struct StorePragmas {
  let options: StoreOptions

  /// Those that have to come before a new file is in WAL mode, or has content.
  private static let ofNewFiles: Set<String> = ["auto_vacuum", "encoding", "page_size"]
  /// Those that change the file, or would keep a reader from reading beside the writer.
  private static let ofWriters: Set<String> = [
    "application_id", "auto_vacuum", "default_cache_size", "encoding", "incremental_vacuum",
    "journal_mode", "locking_mode", "optimize", "page_size", "query_only", "schema_version",
    "user_version", "wal_checkpoint",
  ]
  /// Checkpoints are this library's: see `Checkpointing`.
  private static let ours: Set<String> = ["wal_autocheckpoint"]

  /// Sets up a connection to an empty database: nothing is written yet.
  func prepareNewDatabase(_ connection: SQLiteConnection) throws {
    try apply(to: connection) { Self.ofNewFiles.contains($0) && $0 != "auto_vacuum" }
  }

  /// The first that is written, inside the transaction that makes the tables.
  func beginNewDatabase(_ connection: SQLiteConnection) throws {
    if options.pragma("auto_vacuum") == nil {
      try connection.execute("PRAGMA auto_vacuum = incremental")
    } else {
      try apply(to: connection) { $0 == "auto_vacuum" }
    }
  }

  /// Whether a new file is to be in WAL mode, as no other mode is asked for.
  var wantsWAL: Bool { options.pragma("journal_mode") == nil }

  /// What comes after the tables are there.
  func finishNewDatabase(_ connection: SQLiteConnection) throws {
    try apply(to: connection) { !Self.ofNewFiles.contains($0) }
  }

  /// For the one connection that writes: of a store that is open for reading only, there is none.
  func applyToWriter(_ connection: SQLiteConnection) throws {
    guard !options.isReadOnly else { return try applyToReadConnection(connection) }
    try apply(to: connection) { _ in true }
  }

  func applyToReadConnection(_ connection: SQLiteConnection) throws {
    try apply(to: connection) { !Self.ofWriters.contains($0) }
  }

  private func apply(to connection: SQLiteConnection, where isWanted: (String) -> Bool) throws {
    // In reverse order, as the size of pages has to come before what writes a page (auto_vacuum).
    for (name, value) in options.pragmas.sorted(by: { $0.key > $1.key }) {
      let key = name.lowercased()
      guard isWanted(key), !Self.ours.contains(key) else { continue }
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
