#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An exclusive lock on a folder. The lock ends with its process and leaves no file.
///
/// The folder itself is locked, because opening and closing a store file would release SQLite's locks on it.
final class FolderLock {
  private let descriptor: Int32

  /// Locks a folder. Returns nil if another owner has locked it, or if the file system does not support such locks.
  ///
  /// - Throws: An error if the folder cannot be opened.
  init?(_ folder: URL) throws {
    descriptor = try Self.opened(folder)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      _ = close(descriptor)
      return nil
    }
  }

  private static func opened(_ folder: URL) throws -> Int32 {
    // O_NOFOLLOW: a link could lead to a folder of another program. O_NONBLOCK: opening a pipe could block forever.
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileErrors.failure("read", folder.path) }
    return descriptor
  }

  /// Returns whether the file system of a folder supports such locks; true if the folder cannot be opened.
  static func isSupported(in folder: URL) -> Bool {
    guard let descriptor = try? opened(folder) else { return true }
    defer { _ = close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) == 0 || errno == EWOULDBLOCK || errno == EINTR
  }

  deinit { _ = close(descriptor) }

  /// If this user has created the folder, lets all users open it who can read a store.
  fileprivate func admitReaders(of store: URL, to folder: URL) {
    FileRights(ofFile: store.path)?.admitReaders(toOpenFolder: descriptor, folder.path)
  }

  /// Returns whether the locked folder is still the one at a path. It may have been removed before the lock was
  /// acquired.
  fileprivate func isAt(_ folder: URL) -> Bool {
    var (locked, found) = (stat(), stat())
    return fstat(descriptor, &locked) == 0 && stat(folder.path, &found) == 0
      && locked.st_dev == found.st_dev && locked.st_ino == found.st_ino
  }
}

/// Prevents this and other processes from running two migrations that copy the same store at the same time.
///
/// It locks a hidden folder next to the store, which exists only while it is locked. If a process leaves the folder
/// behind, it looks like an abandoned draft and is removed like one (``MigrationDraft``). Every user who can read the
/// store can open the folder, and thus detect that it is no longer locked.
enum StoreLock {
  /// The seconds in which a process that creates the folder lets other users open it.
  private static let admissionTime = 1.0

  /// Runs `body` while no other migration of the store runs.
  ///
  /// - Throws: `NSPersistentStoreTimeoutError` if another migration takes longer than `timeout` seconds;
  ///   `NSMigrationError` if the permissions of the folder do not allow opening it, or if something other than a folder
  ///   has its name; the errors of `body`.
  static func withLock<Result>(
    on store: URL, timeout: Double, _ body: () throws -> Result
  ) throws -> Result {
    let folder = folder(of: store)
    let deadline = Date(timeIntervalSinceNow: min(max(timeout, 0), 1e9))
    var refusedSince: Date?
    while true {
      // If this folder cannot be created, the draft cannot either, and `body` throws the reason.
      guard mkdir(folder.path, 0o700) == 0 || errno == EEXIST else { return try body() }
      let lock: FolderLock?
      do {
        lock = try FolderLock(folder)
        refusedSince = nil
      } catch {
        // Another process has probably removed the folder, and the next round creates it again.
        lock = nil
        let isRefused = (error as NSError).code == NSFileReadNoPermissionError
        refusedSince = isRefused ? refusedSince ?? Date() : nil
      }
      if let lock, lock.isAt(folder) {
        // The folder is removed while it is locked. A waiting process then creates another one.
        defer { withExtendedLifetime(lock) { _ = rmdir(folder.path) } }
        // A store in memory belongs to this process only.
        if !StoreLocation(store).isInMemory { lock.admitReaders(of: store, to: folder) }
        return try body()
      }
      if let kind = FileKind(path: folder.path, followingLinks: false), kind != .folder {
        throw CoreDataError.make(
          NSMigrationError,
          "the store \(store.path) cannot be migrated: \(folder.path), the folder of its lock, is"
            + " \(kind.phrase)", at: folder.path)
      }
      // On a file system without such locks, no migration can be protected.
      guard FolderLock.isSupported(in: folder) else {
        defer { _ = rmdir(folder.path) }
        return try body()
      }
      // The folder does not show whether the process that created it still runs, so only the user can decide.
      if let refusedSince, Date() > min(deadline, refusedSince + admissionTime) {
        throw CoreDataError.make(
          NSMigrationError,
          "the store \(store.path) cannot be migrated: the permissions of \(folder.path), the folder of"
            + " its lock, do not allow opening it; remove it if no other migration of the store is"
            + " running",
          at: folder.path)
      }
      if Date() > deadline {
        throw CoreDataError.make(
          NSPersistentStoreTimeoutError,
          "another migration of the store \(store.path) has not ended in \(NSNumber(value: timeout)) seconds",
          at: store.path)
      }
      // `flock` has no timeout, so the lock is tried again.
      usleep(10_000)
    }
  }

  private static func folder(of store: URL) -> URL {
    guard StoreLocation(store).isInMemory else {
      return store.deletingLastPathComponent().appendingPathComponent(
        MigrationDraft.prefix(of: store) + "lock", isDirectory: true)
    }
    // A store in memory belongs to this process only.
    return FileManager.default.temporaryDirectory.appendingPathComponent(
      MigrationDraft.prefix(of: store) + "lock-\(getpid())", isDirectory: true)
  }
}
