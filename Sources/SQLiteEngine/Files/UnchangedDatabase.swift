import CSQLite
import StoreEngine

/// Detects changes to a database that is going to be replaced by a file made from its content.
///
/// One connection is used from the beginning to the replacement of the pages, because a connection can only detect
/// changes since it last read the file.
final class UnchangedDatabase: UnchangedFile {
  private let url: URL
  let connection: SQLiteConnection
  private let version: UInt32

  /// - Throws: If the file does not exist, is not a writable database, or has unusable files next to it.
  init(_ url: URL, _ options: StoreOptions) throws {
    let url = url.withoutLinks
    self.url = url
    try StoreFile.requireUsableSideFiles(url)
    (connection, version) = try SQLiteStore.translating(url, "replace") {
      let connection = try SQLiteConnection(
        path: url.path, mode: .readWrite, busyTimeout: options.timeout)
      // SQLite opens a file for reading, without an error, if it has no permission to write it.
      guard sqlite3_db_readonly(connection.handle, "main") == 0 else {
        throw connection.error(SQLITE_READONLY, sql: nil)
      }
      // A connection that has not read anything has no state to compare with.
      _ = try connection.integer("SELECT COUNT(*) FROM sqlite_schema")
      return (connection, try connection.contentVersion)
    }
  }

  func requireUnchanged() throws {
    guard try connection.contentVersion == version, !connection.fileHasMoved else {
      throw StoreErrors.changed(url)
    }
  }

  func fixedPragmas() throws -> [String: String] {
    var pragmas: [String: String] = [:]
    for name in ["page_size", "encoding"] {
      pragmas[name] = try connection.text("PRAGMA \(name)")
    }
    return pragmas
  }

  func close() { connection.close() }
}
