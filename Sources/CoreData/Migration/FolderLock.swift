import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Keeps other processes and threads from migrating stores of a folder by copying; leaves no file behind.
///
/// The folder itself is locked: to open a store's file beside SQLite would end SQLite's own locks.
struct FolderLock {
  /// Runs `body` alone.
  ///
  /// - Throws: `NSPersistentStoreTimeoutError` where others take longer than `timeout` seconds.
  static func alone<Result>(
    in folder: URL, timeout: Double, _ body: () throws -> Result
  ) throws -> Result {
    let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
    // Without such a folder there is no store in it, and the body says so.
    guard descriptor >= 0 else { return try body() }
    defer { _ = close(descriptor) }
    let deadline = Date(timeIntervalSinceNow: min(max(timeout, 0), 1e9))
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      if Date() > deadline {
        throw CoreDataError.make(
          NSPersistentStoreTimeoutError,
          "another process has been migrating a store in \(folder.path) for \(timeout) seconds",
          [NSFilePathErrorKey: folder.path])
      }
      usleep(10_000)
    }
    return try body()
  }
}
