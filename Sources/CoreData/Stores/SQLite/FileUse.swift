import Foundation

/// Whether a store's file is open somewhere, in this process or another.
///
/// In WAL mode SQLite holds a lock on the file, and on the index beside it, as long as it has them open
/// (sqlite.org/wal.html); Linux lists all locks in `/proc/locks` (proc(5)).
enum FileUse {
  /// Whether a connection holds a lock; true as well where that cannot be found out.
  static func isInUse(_ path: String) -> Bool {
    #if os(Linux)
      guard let text = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else {
        return true
      }
      // By the number of the file alone: of layered file systems the devices have several numbers.
      let numbers = ["", "-wal", "-shm"].compactMap { suffix in
        var status = stat()
        return stat(path + suffix, &status) == 0 ? "\(status.st_ino)" : nil
      }
      return isLocked(numbers, in: text)
    #else
      return true
    #endif
  }

  /// Whether a list of locks, `1: POSIX  ADVISORY  READ 1234 08:02:5767 128 128`, names one of some files.
  static func isLocked(_ numbers: [String], in locks: String) -> Bool {
    locks.split(separator: "\n").contains { line in
      line.split(separator: " ").contains { field in
        let parts = field.split(separator: ":")
        return parts.count == 3 && numbers.contains(String(parts[2]))
      }
    }
  }
}
