import CSQLite
import StoreEngine

/// Copies the write-ahead log of a store into its file when the log has grown.
///
/// In versions of SQLite in which a commit during a checkpoint can lose pages, no connection can commit during a
/// checkpoint of this library; see `hold()`. With these versions, a checkpoint that is due while another connection is
/// writing waits for the next commit. Checkpoints of other programs are beyond the library's control.
///
/// Only the owner of the pool's writer uses this object.
final class Checkpointing {
  /// SQLite's default.
  private static let usualPages = 1000
  /// A log of at least this size in two consecutive checkpoints means that a reader prevents its restart: 64 MB with
  /// the usual page size.
  private static let manyPages = 16_384

  private let path: String
  /// Whether no other connection can write anyway.
  private let isExclusive: Bool
  private let threshold: Int
  private var next: Int
  private var holder: SQLiteConnection?
  private var wasLong = false
  private var hasLoggedLongLog = false

  /// - Parameter options: The pragma `wal_autocheckpoint` is the number of pages at which a commit copies the log. With
  ///   0 or less, no commit copies it.
  init(path: String, _ options: StoreOptions) {
    self.path = path
    isExclusive = options.isExclusive
    let requested = options.pragma("wal_autocheckpoint").map { Int($0) ?? Self.usualPages }
    threshold = requested.map { $0 > 0 ? $0 : Int.max } ?? Self.usualPages
    next = threshold
  }

  /// Checks the log after a commit. Errors are logged, because the commit is complete.
  func run(on writer: SQLiteConnection) {
    let pages = writer.logPages
    // The log was restarted.
    if pages < threshold {
      next = threshold
      wasLong = false
    }
    // SQLite refuses a checkpoint by a connection with an open transaction.
    guard pages >= next, !writer.isInTransaction else { return }
    do {
      guard try hold() else { return }
      defer { release() }
      var left: Int32 = 0
      var moved: Int32 = 0
      // A passive checkpoint copies as many pages as it can without waiting for readers.
      let code = sqlite3_wal_checkpoint_v2(
        writer.handle, "main", SQLITE_CHECKPOINT_PASSIVE, &left, &moved)
      guard code == SQLITE_OK else { throw writer.error(code, sql: "checkpoint") }
      // Even if a reader prevented a complete copy, the next attempt waits for `threshold` new pages,
      // so that such a reader does not cause a checkpoint at each commit.
      next = pages + threshold
      // A single long commit is normal: the next one restarts the log if there are no readers.
      defer { wasLong = pages >= Self.manyPages }
      if pages >= Self.manyPages, wasLong, !hasLoggedLongLog {
        hasLoggedLongLog = true
        Log.storeNotice(
          "\(path)-wal has \(pages) pages: a reader that does not end prevents a restart of the log"
        )
      }
    } catch {
      // Each commit would log the same error otherwise.
      next = pages + threshold
      Log.storeError("the write-ahead log of \(path) could not be copied into the file: \(error)")
    }
  }

  /// Acquires the write lock if a checkpoint could otherwise lose pages. Returns false if another connection holds the
  /// lock.
  private func hold() throws -> Bool {
    // SQLite before 3.51.3 (fixed also in 3.50.7 and 3.44.6) can lose committed pages if a checkpoint
    // begins while the commit of another connection restarts the log after the previous checkpoint
    // ("The WAL-Reset Bug", sqlite.org/wal.html). So a second connection holds the write lock during
    // a checkpoint, without writing.
    if SQLiteVersion.canLoseWALPages, !isExclusive {
      // Use no timeout, because the save that has just been committed must not wait for other
      // writers.
      let holder = try self.holder ?? SQLiteConnection(path: path, mode: .readWrite, busyTimeout: 0)
      self.holder = holder
      do {
        try holder.execute("BEGIN IMMEDIATE")
      } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
        SQLiteVersion.logLostPagesOnce()
        return false
      }
    }
    return true
  }

  private func release() {
    guard let holder, holder.isInTransaction else { return }
    do {
      try holder.execute("ROLLBACK")
    } catch {
      // Closing the connection releases the lock in any case.
      close()
    }
  }

  func close() {
    holder?.close()
    holder = nil
  }
}
