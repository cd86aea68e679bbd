import CSQLite
import Foundation
import StoreEngine

/// The files that SQLite creates next to a database in WAL mode, even if the database is only read, and does not
/// remove.
///
/// Created before the first connection. Removes the files that did not exist then.
final class SideFiles: @unchecked Sendable {
  private let path: String
  private let added: [String]
  private let lock = NSLock()
  private var isDone = false

  init(_ file: StoreFile) {
    path = file.url.path
    let path = path
    added = ["-shm", "-wal"].map { path + $0 }
      .filter { !FileManager.default.fileExists(atPath: $0) }
  }

  /// Closes a connection to the file, and removes the files if it is the last one.
  func remove(closing connection: SQLiteConnection) {
    // When the last connection is closed, SQLite removes both files, but first writes a log's changes to the file.
    // It may do so only if there are no changes.
    var log = stat()
    if added.count == 2, stat(path + "-wal", &log) == 0, log.st_size == 0 {
      connection.setCheckpointsOnClose(true)
    }
    connection.close()
    remove()
  }

  /// Removes the files, unless another connection uses them. A log with changes is always kept.
  ///
  /// All connections of this process to the store must be closed.
  func remove() {
    lock.lock()
    defer { lock.unlock() }
    if isDone { return }
    isDone = true
    let present = added.filter { FileManager.default.fileExists(atPath: $0) }
    guard !present.isEmpty else { return }
    do {
      // Other connections hold a lock on the file, so an exclusive lock can only be acquired if there are none.
      // Does not wait: files that another connection uses stay.
      let connection = try SQLiteConnection(path: path, mode: .readWrite, busyTimeout: 0)
      defer { connection.close() }
      connection.setCheckpointsOnClose(false)
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
      // The first read acquires the lock.
      _ = try connection.integer("SELECT COUNT(*) FROM sqlite_schema")
      for file in present {
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
        if file.hasSuffix("-wal"), size?.intValue != 0 { continue }
        try StoreLocation.removeFile(file)
      }
    } catch let error as SQLiteError where error.isDamage {
      // A damaged file cannot be used, and neither can these files.
      for file in present where file.hasSuffix("-shm") {
        do { try StoreLocation.removeFile(file) } catch {
          Log.storeError(error.localizedDescription)
        }
      }
    } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
      // Other connections use the files now.
    } catch {
      Log.storeError("files next to \(path) cannot be removed: \(error)")
    }
  }

  /// Keeps the files, because the store is going to be written.
  func keep() { lock.withLock { isDone = true } }
}
