import Synchronization
import StoreEngine

/// Checks that a file still contains the store that was opened.
///
/// Another store can be put into the same file (`replacePersistentStore`, or a store that was destroyed and created
/// again): its path stays the same, but rows with the same keys are other objects. The UUID in the metadata reveals
/// such a change.
///
/// Each statement does this check before it returns its first row. The check costs almost nothing, because it compares
/// SQLite's version number of the file's content and reads the UUID only after a change.
final class StoreUUIDCheck: Sendable {
  private let url: URL
  /// The store's UUID when it was opened, and all UUIDs that the program has assigned to it since then. A new UUID is
  /// not in the file until it is saved.
  private let identifiers: Mutex<Set<String>>

  init(_ url: URL, _ identifier: String) {
    self.url = url
    identifiers = Mutex([identifier])
  }

  /// Records that the store gets another UUID.
  func add(_ identifier: String) { identifiers.withLock { _ = $0.insert(identifier) } }

  /// Throws an error if the file contains another store. A file without Core Data's tables causes other errors.
  func require(on connection: SQLiteConnection) throws {
    let found: String?
    do {
      found = try connection.text("SELECT Z_UUID FROM Z_METADATA WHERE Z_VERSION = 1")
    } catch let error as SQLiteError where StoreErrors.isOfSchema(error) {
      return
    }
    guard let found, !identifiers.withLock({ $0.contains(found) }) else { return }
    throw CoreDataError.make(
      NSPersistentStoreOpenError,
      "the store \(url.path) was replaced by another store, \(found), while it was open; open it"
        + " again", at: url.path)
  }
}
