import CSQLite
import Foundation
import StoreEngine

/// The `-shm` and `-wal` files of a database in WAL mode. SQLite creates them even if the database is only read, and
/// may leave them behind.
///
/// Create this object before the first connection to the database: it removes only files that did not exist when
/// it was created.
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

  /// Closes a connection to the database. If it is the last one, removes the files.
  func remove(closing connection: SQLiteConnection) {
    // With a checkpoint, SQLite removes both files when the last connection is closed, but first writes the changes in
    // the log to the database. The database must not change, so the checkpoint is allowed only if the log is empty.
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
      // Every other connection holds a lock on the database, so an exclusive lock shows that there is none.
      // The connection does not wait, and files that another connection uses are kept.
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
      // No connection can use a damaged database, so none needs its -shm file. The log is kept, because it may
      // contain changes.
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
