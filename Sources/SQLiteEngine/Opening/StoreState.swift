import Foundation
import ObjectModel
import StoreEngine

/// A value that identifies the content of a store's file, even in a later run of the program.
///
/// SQLite's change counter in the file's header does not count changes in a write-ahead log, so the last commit in
/// the log is included. Equal states mean equal content. The same content may have two states, for example before and
/// after a log is copied into its file.
struct StoreState: Equatable {
  private var numbers: [UInt64] = []

  /// The bytes of the state, for storing it.
  var bytes: [UInt8] { numbers.flatMap { number in withUnsafeBytes(of: number, Array.init) } }

  /// Reads the current state of a file. Returns nil if it cannot be determined reliably.
  init?(_ url: URL) {
    let url = url.withoutLinks
    guard let file = Self.status(at: url.path),
      let header = try? StoreBytes.withBytes(of: url, { [UInt8](try $0.first(100)) }),
      header.count == 100
    else { return nil }
    // Bytes 24 to 27 of the header are the change counter, and byte 18 is 2 in WAL mode
    // (sqlite.org/fileformat2.html, "The Database Header").
    numbers = [
      UInt64(file.st_dev), UInt64(file.st_ino), UInt64(file.st_size),
      UInt64(bitPattern: Int64(file.st_mtim.tv_sec)),
      UInt64(bitPattern: Int64(file.st_mtim.tv_nsec)),
      Self.number(header[24..<28]),
    ]
    let isWAL = header[18] == 2
    if isWAL, let commit = LoggedCommit(url.path + "-wal") {
      numbers += [commit.salt, commit.frame, commit.checksum]
    } else {
      // A change in the same tick of the file system's clock could not be distinguished from this state.
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      let age =
        Double(now.tv_sec - file.st_mtim.tv_sec) + Double(now.tv_nsec - file.st_mtim.tv_nsec) / 1e9
      if age < 0.02 { return nil }
    }
  }

  private static func status(at path: String) -> stat? {
    var result = stat()
    return stat(path, &result) == 0 ? result : nil
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The last commit in a write-ahead log.
  ///
  /// Closing a file releases all POSIX locks that the process has on it. SQLite has none on the log, so the log can be
  /// opened and closed here.
  private struct LoggedCommit {
    let salt: UInt64
    let frame: UInt64
    let checksum: UInt64

    /// Nil for a log without commits, or one that is missing or cannot be read.
    init?(_ path: String) {
      let file = UntimedFile.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var status = stat()
      guard fstat(file, &status) == 0, FileKind(mode: status.st_mode) == .plainFile else {
        return nil
      }
      func read(_ count: Int, at offset: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return pread(file, &bytes, count, off_t(offset)) == count ? bytes : nil
      }
      guard let header = read(32, at: 0) else { return nil }
      // The log's header has the page size at byte 8 and the salt at 16. A frame's header has the
      // size of the database after a commit at byte 4 (0 in other frames), the salt at 8 and the
      // checksum at 16 (sqlite.org/fileformat2.html, "The WAL File Format").
      let pageSize = Int(StoreState.number(header[8..<12]))
      guard pageSize >= 512, pageSize <= 65536 else { return nil }
      salt = StoreState.number(header[16..<24])
      let frameSize = pageSize + 24
      func frame(_ number: Int) -> [UInt8]? {
        guard let bytes = read(24, at: 32 + (number - 1) * frameSize),
          StoreState.number(bytes[8..<16]) == StoreState.number(header[16..<24])
        else { return nil }
        return bytes
      }
      // After the frames of the log's current cycle, there may be frames of an earlier one, with another salt. A binary
      // search finds the last frame of the current cycle.
      var low = 0
      var high = (StoreState.status(at: path).map { Int($0.st_size) } ?? 0) / frameSize + 1
      while low + 1 < high {
        let middle = (low + high) / 2
        if frame(middle) != nil { low = middle } else { high = middle }
      }
      // Frames after the last commit belong to an unfinished transaction.
      var last = low
      var found: [UInt8]?
      while last > 0, let bytes = frame(last) {
        if StoreState.number(bytes[4..<8]) != 0 {
          found = bytes
          break
        }
        last -= 1
      }
      guard let found else { return nil }
      self.frame = UInt64(last)
      checksum = StoreState.number(found[16..<24])
    }
  }
}
