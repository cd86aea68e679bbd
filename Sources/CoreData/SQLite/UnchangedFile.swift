import CSQLite
import Foundation

/// A store's file that is replaced by something made of its content: what somebody else saves in the meantime
/// would be lost, so it is noticed, and nothing is replaced.
final class UnchangedFile {
  private let url: URL
  private let state: State

  private enum State {
    /// With the connection that replaces the pages. It is the same from the beginning on, for only to itself
    /// a connection tells whether the file has changed.
    case database(SQLiteConnection, version: UInt32)
    /// Of a file that is written as a whole.
    case file(FileStamp)
  }

  private static func stamp(_ url: URL) throws -> FileStamp {
    guard let stamp = FileStamp(url.path) else { throw SQLiteStore.noSuchFile(url) }
    return stamp
  }

  /// Notes how a file is now.
  ///
  /// - Throws: when it is not there, or no database that can be written.
  init(_ url: URL, type: String, _ options: StoreOptions) throws {
    self.url = url
    guard type == NSSQLiteStoreType else {
      state = .file(try Self.stamp(url))
      // Another file could take its place all the same.
      guard access(url.path, W_OK) == 0 else {
        throw CoreDataError.make(
          NSFileWriteNoPermissionError, "cannot replace \(url.path): it may not be written",
          [NSFilePathErrorKey: url.path])
      }
      return
    }
    state = try SQLiteStore.translating(url, "replace") {
      let connection = try SQLiteConnection(
        path: url.path, mode: .readWrite, busyTimeout: options.timeout)
      guard sqlite3_db_readonly(connection.handle, "main") == 0 else {
        throw connection.error(SQLITE_READONLY, sql: nil)
      }
      // A connection that has read nothing knows no earlier state.
      _ = try connection.integer("SELECT COUNT(*) FROM sqlite_schema")
      return .database(connection, version: try connection.contentVersion)
    }
  }

  /// The connection to a database.
  var connection: SQLiteConnection? {
    if case .database(let connection, _) = state { connection } else { nil }
  }

  /// Called when nobody else can write any more; for a file that is written as a whole, just before.
  ///
  /// - Throws: when somebody has written.
  func requireUnchanged() throws {
    let isSame =
      switch state {
      case .database(let connection, let version):
        try connection.contentVersion == version && !connection.fileHasMoved
      case .file(let stamp): try Self.stamp(url) == stamp
      }
    if isSame { return }
    throw CoreDataError.make(
      NSPersistentStoreSaveConflictsError,
      "somebody else has changed or moved the store \(url.path) meanwhile; it stays as it is now",
      [NSFilePathErrorKey: url.path])
  }

  func close() { connection?.close() }
}
