import Foundation

/// Detects whether this or another process has a store's file open.
///
/// In WAL mode, a connection of SQLite locks the file and its index file (`-shm`) as long as it is open
/// (sqlite.org/wal.html). Linux lists all locks in `/proc/locks` (proc(5)).
enum FileUse {
  /// Returns whether a connection locks a file; true if that cannot be determined.
  static func isInUse(_ path: String) -> Bool {
    #if os(Linux)
      let files = ["", "-wal", "-shm"].compactMap { suffix -> stat? in
        var status = stat()
        return stat(path + suffix, &status) == 0 ? status : nil
      }
      // The list of locks may omit a lock (see below), so the descriptors of this process are checked first.
      if isOpenHere(files) { return true }
      // Compares only file numbers, because the devices of overlay file systems have several numbers.
      let numbers = files.map { "\($0.st_ino)" }
      // A list longer than a page is read in parts, and may omit a lock while other locks change.
      for _ in 1...3 {
        guard let text = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else {
          return true
        }
        if isLocked(numbers, in: text) { return true }
        if text.utf8.count < 4_096 { break }
      }
      return false
    #else
      return true
    #endif
  }

  #if os(Linux)
    /// Returns whether this process has one of some files open.
    private static func isOpenHere(_ files: [stat]) -> Bool {
      // Without the list of descriptors, the file may be open.
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else {
        return true
      }
      return names.compactMap { Int32($0) }.contains { descriptor in
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return files.contains { $0.st_ino == status.st_ino && $0.st_dev == status.st_dev }
      }
    }
  #endif

  /// Returns whether a list of locks, `1: POSIX  ADVISORY  READ 1234 08:02:5767 128 128`, contains one of some files.
  static func isLocked(_ numbers: [String], in locks: String) -> Bool {
    locks.split(separator: "\n").contains { line in
      line.split(separator: " ").contains { field in
        let parts = field.split(separator: ":")
        return parts.count == 3 && numbers.contains(String(parts[2]))
      }
    }
  }
}
