import CSQLite
import Foundation
import StoreEngine

/// The files that SQLite makes beside a WAL-mode file when it is only read, and that it does not
/// take away again.
///
/// Made before the first connection; removes what was not there then.
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

  /// Closes a connection to the file, and removes the files where it is the last one.
  func remove(closing connection: SQLiteConnection) {
    // SQLite removes both at its last connection's end, but writes a log's changes to the file first: so only where
    // there are none.
    var log = stat()
    if added.count == 2, stat(path + "-wal", &log) == 0, log.st_size == 0 {
      connection.setCheckpointsOnClose(true)
    }
    connection.close()
    remove()
  }

  /// Removes the files, unless another connection uses them; a log with changes stays in any case.
  ///
  /// All connections of this process's store must be closed.
  func remove() {
    lock.lock()
    defer { lock.unlock() }
    if isDone { return }
    isDone = true
    let present = added.filter { FileManager.default.fileExists(atPath: $0) }
    guard !present.isEmpty else { return }
    do {
      // Whoever has the file open holds a lock on it, so an exclusive one is had only alone.
      let connection = try SQLiteConnection(path: path, mode: .readWrite, busyTimeout: 0)
      defer { connection.close() }
      connection.setCheckpointsOnClose(false)
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
      _ = try connection.integer("SELECT COUNT(*) FROM sqlite_schema")
      for file in present {
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
        if file.hasSuffix("-wal"), size?.intValue != 0 { continue }
        try StoreLocation.removeFile(file)
      }
    } catch let error as SQLiteError where error.isDamage {
      // Nobody can use the file, nor these.
      for file in present where file.hasSuffix("-shm") {
        do { try StoreLocation.removeFile(file) } catch {
          Log.storeError(error.localizedDescription)
        }
      }
    } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
      // Others use the files now, and they are theirs.
    } catch {
      Log.storeError("files beside \(path) stay: \(error)")
    }
  }

  /// Leaves the files to the store, which is going to be written.
  func keep() { lock.withLock { isDone = true } }
}
