import CSQLite
import StoreEngine

/// Moves the write-ahead log of a store into its file, when it has grown.
///
/// SQLite before 3.51.3 (3.50.7, 3.44.6) can lose committed pages when a checkpoint begins while
/// another connection's commit starts the log anew after the checkpoint before ("The WAL-Reset Bug",
/// sqlite.org/wal.html). So nobody may commit while one of ours runs: a second connection holds the
/// lock for writing meanwhile, without writing. Where somebody else writes, the next commit tries
/// again. What other programs' checkpoints do is theirs.
///
/// Used by whoever has the pool's writer.
final class Checkpointing {
  /// SQLite's own measure.
  private static let usualPages = 1000
  /// From here on somebody's reading keeps the log from beginning anew: 64 MB of usual pages.
  private static let manyPages = 16_384

  private let path: String
  /// Whether no other connection can write anyway.
  private let isExclusive: Bool
  private let threshold: Int
  private var next: Int
  private var holder: SQLiteConnection?
  private var wasLong = false
  private var hasLoggedLongLog = false

  /// - Parameter options: the pragma `wal_autocheckpoint` says how many pages are too many; none are
  ///   where it is 0.
  init(path: String, _ options: StoreOptions) {
    self.path = path
    isExclusive = options.isExclusive
    let requested = options.pragma("wal_autocheckpoint").map { Int($0) ?? Self.usualPages }
    threshold = requested.map { $0 > 0 ? $0 : Int.max } ?? Self.usualPages
    next = threshold
  }

  /// Looks at the log after a commit; what goes wrong is logged, for the commit is done.
  func run(on writer: SQLiteConnection) {
    let pages = writer.logPages
    // The log began anew.
    if pages < threshold {
      next = threshold
      wasLong = false
    }
    guard pages >= next, !writer.isInTransaction else { return }
    do {
      guard try hold() else { return }
      defer { release() }
      var left: Int32 = 0
      var moved: Int32 = 0
      let code = sqlite3_wal_checkpoint_v2(
        writer.handle, "main", SQLITE_CHECKPOINT_PASSIVE, &left, &moved)
      guard code == SQLITE_OK else { throw writer.error(code, sql: "checkpoint") }
      next = pages + threshold
      // One long commit is nobody's fault: the next one begins the log anew where nobody reads.
      defer { wasLong = pages >= Self.manyPages }
      if pages >= Self.manyPages, wasLong, !hasLoggedLongLog {
        hasLoggedLongLog = true
        Log.storeNotice(
          "\(path)-wal has \(pages) pages: a reader that does not end keeps it from beginning anew")
      }
    } catch {
      next = pages + threshold
      Log.storeError("the write-ahead log of \(path) was not moved into the file: \(error)")
    }
  }

  /// Takes the lock for writing; false while somebody else has it.
  private func hold() throws -> Bool {
    if SQLiteVersion.canLoseWALPages, !isExclusive {
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
      // Closing it gives the lock up in any case.
      close()
    }
  }

  func close() {
    holder?.close()
    holder = nil
  }
}
