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
    descriptor = try Self.opened(folder)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      _ = close(descriptor)
      return nil
    }
  }

  private static func opened(_ folder: URL) throws -> Int32 {
    // A link leads to a folder of another program; to open a pipe could wait forever.
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = POSIXErrorCode(rawValue: errno) ?? .EIO
      throw CocoaError.error(
        .fileReadUnknown, userInfo: [NSUnderlyingErrorKey: POSIXError(code)], url: folder)
    }
    return descriptor
  }

  /// Whether the file system that a folder is on has such locks.
  static func isPossible(in folder: URL) -> Bool {
    guard let descriptor = try? opened(folder) else { return true }
    defer { _ = close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) == 0 || errno == EWOULDBLOCK || errno == EINTR
  }

  deinit { _ = close(descriptor) }

  /// Whether the folder that is locked is still the one at a path: it may have been removed before the lock was had.
  fileprivate func isAt(_ folder: URL) -> Bool {
    var (locked, found) = (stat(), stat())
    return fstat(descriptor, &locked) == 0 && stat(folder.path, &found) == 0
      && locked.st_dev == found.st_dev && locked.st_ino == found.st_ino
  }
}

/// Keeps others from migrating the same store by copying at the same time, whichever process they are in.
///
/// What is locked is a hidden folder beside the store that is there as long as the lock. One that a process leaves behind
/// is taken for an abandoned draft (``MigrationDraft``), and removed as such.
enum StoreLock {
  /// Runs `body` alone.
  ///
  /// - Throws: `NSPersistentStoreTimeoutError` where others take longer than `timeout` seconds.
  static func alone<Result>(
    for store: URL, timeout: Double, _ body: () throws -> Result
  ) throws -> Result {
    let folder = folder(of: store)
    let deadline = Date(timeIntervalSinceNow: min(max(timeout, 0), 1e9))
    while true {
      // Where no folder can be made, no draft can: the body says why.
      guard mkdir(folder.path, 0o700) == 0 || errno == EEXIST else { return try body() }
      if let lock = try? FolderLock(folder), lock.isAt(folder) {
        // It goes while it is locked; who waits for it makes another one.
        defer { withExtendedLifetime(lock) { _ = rmdir(folder.path) } }
        return try body()
      }
      if let kind = FileKind(path: folder.path, followingLinks: false), kind != .folder {
        throw CoreDataError.make(
          NSMigrationError,
          "the store \(store.path) cannot be migrated: \(folder.path), the folder of its lock, is"
            + " \(kind.phrase)", at: folder.path)
      }
      guard FolderLock.isPossible(in: folder) else {
        defer { _ = rmdir(folder.path) }
        return try body()
      }
      if Date() > deadline {
        throw CoreDataError.make(
          NSPersistentStoreTimeoutError,
          "somebody else has been migrating the store \(store.path) for \(timeout) seconds",
          at: store.path)
      }
      usleep(10_000)
    }
  }

  private static func folder(of store: URL) -> URL {
    guard StoreLocation(store).isInMemory else {
      return store.deletingLastPathComponent().appendingPathComponent(
        MigrationDraft.prefix(of: store) + "lock", isDirectory: true)
    }
    // It is this process's alone.
    return FileManager.default.temporaryDirectory.appendingPathComponent(
      MigrationDraft.prefix(of: store) + "lock-\(getpid())", isDirectory: true)
  }
}
