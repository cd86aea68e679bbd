import CSQLite
import Foundation
import ObjectModel

/// Makes SQLite open files without updating their access times; see `UntimedFile`.
///
/// SQLite has no option for this. Its file system for Unix opens all files through an entry in a table of system
/// calls, which can be replaced (sqlite.org/c3ref/vfs.html, `xSetSystemCall`). The replacement behaves
/// differently only in a thread that is in ``around(_:)``.
enum UntimedOpening {
  private typealias Open = @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Int32

  private struct Former: Sendable {
    let open: Open
    let mark: pthread_key_t
  }

  /// The original entry in the table; nil if SQLite has no such table.
  private static let former: Former? = replace()

  private static func replace() -> Former? {
    guard UntimedFile.flag != 0, let vfs = sqlite3_vfs_find("unix"), vfs.pointee.iVersion >= 3,
      let call = vfs.pointee.xGetSystemCall?(vfs, "open"), let set = vfs.pointee.xSetSystemCall
    else { return nil }
    var mark = pthread_key_t()
    guard pthread_key_create(&mark, nil) == 0 else { return nil }
    let former = Former(open: unsafeBitCast(call, to: Open.self), mark: mark)
    let new: Open = { path, flags, mode in UntimedOpening.open(path, flags, mode) }
    shared = former
    guard set(vfs, "open", unsafeBitCast(new, to: sqlite3_syscall_ptr.self)) == SQLITE_OK else {
      return nil
    }
    return former
  }

  /// The same entry for the replacement function, which other threads may call while `former` is being set. It is
  /// written once, before the function is installed.
  nonisolated(unsafe) private static var shared: Former?

  private static func open(_ path: UnsafePointer<CChar>?, _ flags: Int32, _ mode: Int32) -> Int32 {
    guard let former = shared else { return -1 }
    if pthread_getspecific(former.mark) != nil {
      let file = former.open(path, flags | UntimedFile.flag, mode)
      // Only the owner of a file may open it without updating its time (open(2)).
      if file >= 0 || errno != EPERM { return file }
    }
    return former.open(path, flags, mode)
  }

  /// Runs `body`. The access times of files that SQLite opens in this thread while `body` runs are not
  /// updated.
  static func around<Result>(_ body: () throws -> Result) rethrows -> Result {
    // A nested call must not remove the mark of the outer one.
    guard let mark = former?.mark, pthread_getspecific(mark) == nil else { return try body() }
    pthread_setspecific(mark, UnsafeRawPointer(bitPattern: 1))
    defer { pthread_setspecific(mark, nil) }
    return try body()
  }
}
