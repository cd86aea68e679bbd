import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder that nobody else may use in the same way: a lock that ends with its process and leaves no file.
///
/// The folder itself is locked: to open a store's file beside SQLite would end SQLite's own locks.
final class FolderLock {
  private let descriptor: Int32

  /// Locks a folder if nobody else has; nil where somebody has, and where the file system has no locks.
  ///
  /// - Throws: where the folder cannot be opened.
  init?(_ folder: URL) throws {
    descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = POSIXErrorCode(rawValue: errno) ?? .EIO
      throw CocoaError.error(
        .fileReadUnknown, userInfo: [NSUnderlyingErrorKey: POSIXError(code)], url: folder)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      _ = close(descriptor)
      return nil
    }
  }

  deinit { _ = close(descriptor) }

  /// Runs `body` while nobody else migrates stores of a folder by copying.
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
