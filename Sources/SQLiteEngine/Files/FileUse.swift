import CSQLite
import Foundation
import StoreEngine

/// Detects whether this or another process has a store's file open.
///
/// In WAL mode, a connection of SQLite locks the file and its index file (`-shm`) as long as it is open
/// (sqlite.org/wal.html). Linux lists the locks in `/proc/locks` (proc(5)), except those of processes that this process
/// cannot see, such as those in another container. A test for a lock (fcntl(2), `F_GETLK`) detects these, too.
enum FileUse {
  /// Returns whether this process has a file, its log or its index open, or another process locks one of them; true if
  /// that cannot be determined.
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
      return isLockedElsewhere(["", "-shm"].map { path + $0 })
    #else
      return true
    #endif
  }

  #if os(Linux)
    /// Returns whether this process has any of the files open.
    private static func isOpenHere(_ files: [stat]) -> Bool {
      // If the descriptors cannot be listed, the file may be open.
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else {
        return true
      }
      return names.compactMap { Int32($0) }.contains { descriptor in
        var status = stat()
        // A descriptor that only refers to a file does not open it, and closing it releases no locks.
        guard fcntl(descriptor, F_GETFL) & FolderHandle.pathOnly == 0,
          fstat(descriptor, &status) == 0
        else { return false }
        return files.contains { $0.st_ino == status.st_ino && $0.st_dev == status.st_dev }
      }
    }

    /// Returns whether another process locks a part of any of the files; true if that cannot be determined, or if this
    /// process has one of them open.
    ///
    /// A file that this process may not read is not tested. If that is only the index, the locks on the store itself
    /// decide: a store that no connection locks is read without its index.
    static func isLockedElsewhere(_ paths: [String]) -> Bool {
      // Closing any descriptor of a file releases all of the process's locks on it (fcntl(2)). So no connection of this
      // process may have the file open, and none may open and lock it before the test is over: SQLite's own opening
      // waits for this mutex before it locks a file (`findInodeInfo` in SQLite's os_unix.c).
      let opening = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_VFS1)
      sqlite3_mutex_enter(opening)
      defer { sqlite3_mutex_leave(opening) }
      // Another process may replace the files at any time. So the files are checked and then opened through these
      // descriptors (proc_pid_fd(5)).
      var descriptors: [Int32] = []
      defer { for descriptor in descriptors { close(descriptor) } }
      var files: [stat] = []
      for path in paths {
        let descriptor = open(path, FolderHandle.pathOnly | O_CLOEXEC)
        guard descriptor >= 0 else {
          if errno == ENOENT { continue }
          return true
        }
        descriptors.append(descriptor)
        var status = stat()
        // Opening a named pipe or a device may have effects.
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
          return true
        }
        files.append(status)
      }
      if isOpenHere(files) { return true }
      return descriptors.contains { file in
        let descriptor = open("/proc/self/fd/\(file)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return errno != EACCES }
        defer { close(descriptor) }
        return isLocked(descriptor)
      }
    }

    /// Returns whether another process locks a part of an open file; true if that cannot be determined.
    static func isLocked(_ descriptor: Int32) -> Bool {
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      // The whole file: a length of 0 extends to its end.
      (lock.l_start, lock.l_len) = (0, 0)
      return fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
    }
  #endif

  /// Returns whether a list of locks, such as `1: POSIX  ADVISORY  READ 1234 08:02:5767 128 128`, contains one of the
  /// file numbers.
  static func isLocked(_ numbers: [String], in locks: String) -> Bool {
    locks.split(separator: "\n").contains { line in
      line.split(separator: " ").contains { field in
        let parts = field.split(separator: ":")
        return parts.count == 3 && numbers.contains(String(parts[2]))
      }
    }
  }
}
