import CSQLite
import Foundation

/// A file system for SQLite that reads a store with its write-ahead log or rollback journal without changing anything
/// in its folder: no byte, no time, no other file. It is used for connections in the mode `immutable`: for stores with
/// ``immutableStoreOption``, and for most other stores that are opened for reading only (`StoreAccess`).
///
/// SQLite's own `immutable=1` ignores the log and the journal. Here, pages in a journal replace those of the file as
/// they are read (`RolledBackPages`). Without this file system, SQLite opens the log for writing, sets its owner if the
/// process is root, and shares an index of the log in a file next to it. Here, the store's files are always opened for
/// reading, without updating access times (`UntimedFile`), and are neither removed nor locked. With `PRAGMA
/// locking_mode = EXCLUSIVE`, the index of the log is in memory (sqlite.org/wal.html, "Use of WAL Without
/// Shared-Memory"). The caller must ensure that no other process writes while the files are open.
///
/// SQLite's own file system for Unix does all other work. It keeps track of descriptors, so closing one of these
/// files does not release locks of another connection in this process.
enum UntouchedFiles {
  /// The name of the file system in SQLite; nil if the system does not support it.
  static let name: String? = register()

  /// `SQLITE_IOERR_DELETE`, an expression in C that Swift does not import.
  private static let deletionError = SQLITE_IOERR | 10 << 8

  /// `SQLITE_OPEN_SUPER_JOURNAL`, which has a different name in older headers.
  private static let superJournal: Int32 = 0x4000

  private static let registeredName = "opencoredata-untouched"

  /// SQLite's file system for Unix.
  nonisolated(unsafe) private static let base = sqlite3_vfs_find("unix") ?? sqlite3_vfs_find(nil)

  private struct Key: Hashable {
    let own: UnsafeRawPointer
    let isJournaled: Bool
  }

  /// The methods of unlocked files, keyed by the methods that they are derived from. They live as long as the process,
  /// like SQLite's own.
  nonisolated(unsafe) private static var methods: [Key: UnsafePointer<sqlite3_io_methods>] = [:]
  private static let lock = NSLock()

  private static func register() -> String? {
    guard let base else { return nil }
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: base.pointee)
    vfs.pointee.pNext = nil
    vfs.pointee.szOsFile = Int32(pagesPlace + MemoryLayout<UnsafeRawPointer>.size)
    vfs.pointee.zName = UnsafePointer(strdup(registeredName))
    vfs.pointee.xOpen = { _, name, file, flags, outFlags in
      UntouchedFiles.open(name, file, flags, outFlags)
    }
    // SQLite would remove the log of an empty file.
    vfs.pointee.xDelete = { _, _, _ in UntouchedFiles.deletionError }
    guard sqlite3_vfs_register(vfs, 0) == SQLITE_OK else { return nil }
    return registeredName
  }

  private static func open(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let base, let open = base.pointee.xOpen, let file else {
      return SQLITE_CANTOPEN
    }
    let stays = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL
    // Temporary files are in other folders, and SQLite may write them.
    guard flags & stays != 0 else { return open(base, name, file, flags, outFlags) }
    let forWriting =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE
      | SQLITE_OPEN_DELETEONCLOSE
    // If the process is root, SQLite sets the owner of a log and a journal to that of the database whenever it opens
    // one, which changes a time of the file. It does not do so for a super-journal, a type that has no other effect
    // (os_unix.c, `findCreateFileMode`).
    let ownedTypes = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL
    let type = flags & ownedTypes == 0 ? flags : flags & ~ownedTypes | superJournal
    let code = UntimedOpening.around {
      open(base, name, file, type & ~forWriting | SQLITE_OPEN_READONLY, outFlags)
    }
    if code == SQLITE_OK, let own = file.pointee.pMethods {
      let pages: RolledBackPages?
      do {
        pages =
          try flags & SQLITE_OPEN_MAIN_DB == 0
          ? nil : name.flatMap { try RolledBackPages(besides: String(cString: $0)) }
      } catch {
        // The connection reports the reason, which SQLite has no form for.
        _ = own.pointee.xClose(file)
        file.pointee.pMethods = nil
        return SQLITE_CANTOPEN
      }
      pagesOf(file).pointee = pages.map {
        UnsafeRawPointer(Unmanaged.passRetained(JournaledFile(own, $0)).toOpaque())
      }
      file.pointee.pMethods = withoutLocks(own, isJournaled: pages != nil)
    }
    return code
  }

  /// A database with pages that its journal restores.
  private final class JournaledFile {
    let own: UnsafePointer<sqlite3_io_methods>
    let pages: RolledBackPages

    init(_ own: UnsafePointer<sqlite3_io_methods>, _ pages: RolledBackPages) {
      self.own = own
      self.pages = pages
    }
  }

  /// The offset of the pointer to a file's restored pages: after the data of SQLite's own file system.
  private static let pagesPlace = (Int(base?.pointee.szOsFile ?? 0) + 7) / 8 * 8

  private static func pagesOf(
    _ file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<UnsafeRawPointer?> {
    (UnsafeMutableRawPointer(file) + pagesPlace).assumingMemoryBound(to: UnsafeRawPointer?.self)
  }

  private static func journaled(_ file: UnsafeMutablePointer<sqlite3_file>?) -> JournaledFile? {
    file.flatMap { pagesOf($0).pointee }.map {
      Unmanaged<JournaledFile>.fromOpaque($0).takeUnretainedValue()
    }
  }

  private static func addPages(to methods: UnsafeMutablePointer<sqlite3_io_methods>) {
    methods.pointee.xRead = { file, buffer, count, offset in
      guard let journaled = UntouchedFiles.journaled(file), let buffer else { return SQLITE_IOERR }
      let code = journaled.own.pointee.xRead(file, buffer, count, offset)
      guard code == SQLITE_OK || code == UntouchedFiles.shortRead else { return code }
      let isWhole = journaled.pages.put(
        into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)), from: Int(offset),
        wasRead: code == SQLITE_OK)
      return isWhole ? SQLITE_OK : code
    }
    methods.pointee.xFileSize = { file, size in
      guard let journaled = UntouchedFiles.journaled(file) else { return SQLITE_IOERR }
      size?.pointee = Int64(journaled.pages.size)
      return SQLITE_OK
    }
    methods.pointee.xClose = { file in
      guard let file, let pages = UntouchedFiles.pagesOf(file).pointee else { return SQLITE_IOERR }
      UntouchedFiles.pagesOf(file).pointee = nil
      let journaled = Unmanaged<JournaledFile>.fromOpaque(pages).takeRetainedValue()
      return journaled.own.pointee.xClose(file)
    }
  }

  /// `SQLITE_IOERR_SHORT_READ`.
  private static let shortRead = SQLITE_IOERR | 2 << 8

  private static func withoutLocks(
    _ own: UnsafePointer<sqlite3_io_methods>, isJournaled: Bool
  ) -> UnsafePointer<sqlite3_io_methods> {
    lock.lock()
    defer { lock.unlock() }
    let key = Key(own: UnsafeRawPointer(own), isJournaled: isJournaled)
    if let made = methods[key] { return made }
    let made = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    made.initialize(to: own.pointee)
    // Version 1 of SQLite's file methods has no shared memory.
    made.pointee.iVersion = 1
    made.pointee.xLock = { _, _ in SQLITE_OK }
    made.pointee.xUnlock = { _, _ in SQLITE_OK }
    made.pointee.xCheckReservedLock = { _, result in
      result?.pointee = 0
      return SQLITE_OK
    }
    if isJournaled { addPages(to: made) }
    methods[key] = UnsafePointer(made)
    return UnsafePointer(made)
  }
}
