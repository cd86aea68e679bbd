import CSQLite
import Foundation
import ObjectModel

/// Has SQLite open files without a note of the time of their reading: see `UntimedFile`.
///
/// SQLite has no option for that. Its file system for Unix opens all files through one entry of a table of system
/// calls, which may be replaced (sqlite.org/c3ref/vfs.html, `xSetSystemCall`); the function that stands there
/// afterwards does what the former did, but in a thread that is in ``around(_:)``.
enum UntimedOpening {
  private typealias Open = @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Int32

  private struct Former: Sendable {
    let open: Open
    let mark: pthread_key_t
  }

  /// What was in the table before; nil where SQLite has no such table.
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

  /// The same for the function in the table, which other threads may call while `former` is being set. It is written
  /// once, before the function is there.
  nonisolated(unsafe) private static var shared: Former?

  private static func open(_ path: UnsafePointer<CChar>?, _ flags: Int32, _ mode: Int32) -> Int32 {
    guard let former = shared else { return -1 }
    if pthread_getspecific(former.mark) != nil {
      let file = former.open(path, flags | UntimedFile.flag, mode)
      if file >= 0 || errno != EPERM { return file }
    }
    return former.open(path, flags, mode)
  }

  /// Runs `body`; the files that SQLite opens meanwhile in this thread have no time of their reading noted.
  static func around<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let mark = former?.mark, pthread_getspecific(mark) == nil else { return try body() }
    pthread_setspecific(mark, UnsafeRawPointer(bitPattern: 1))
    defer { pthread_setspecific(mark, nil) }
    return try body()
  }
}
