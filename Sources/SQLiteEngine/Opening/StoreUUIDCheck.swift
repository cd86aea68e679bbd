import Synchronization
import StoreEngine

/// Which store a file has to hold: the one that was opened, and no other that has taken its place since.
///
/// Another store can come into the same file (`replacePersistentStore`, or a store that was destroyed and
/// made anew): the place says nothing then, and rows with the same keys are other objects. The UUID in its
/// metadata tells.
///
/// Each statement checks this when it begins. It compares a number that SQLite counts for the file's content, and
/// reads the UUID only where something was written, so that a check costs next to nothing.
final class StoreUUIDCheck: Sendable {
  private let url: URL
  /// All that the store was ever given here: a new one is in the file only when it is saved.
  private let identifiers: Mutex<Set<String>>

  init(_ url: URL, _ identifier: String) {
    self.url = url
    identifiers = Mutex([identifier])
  }

  /// The store is given another UUID.
  func add(_ identifier: String) { identifiers.withLock { _ = $0.insert(identifier) } }

  /// Throws where the file holds another store. One without Core Data's tables is left to whoever
  /// reads or writes them.
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
      "the store \(url.path) was replaced by another one, \(found), while it was open; open it"
        + " again", at: url.path)
  }
}
