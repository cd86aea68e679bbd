import CSQLite
import StoreEngine

/// The bytes of a file that may be a store's, read through SQLite.
///
/// No file of a store is opened in another way. Locks on a file belong to the whole process, and end
/// when it closes any descriptor of that file: SQLite's locks would be gone, and with them what keeps
/// other processes from removing the write-ahead log under a store that is open here. SQLite knows
/// its own descriptors, and keeps one open as long as the file is locked through another.
struct StoreBytes {
  /// How long the file is.
  let count: Int
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let path: String

  /// Runs `body` with the bytes of a file, which are not to be kept.
  ///
  /// - Throws: an error that names the file, when there is none or it may not be read.
  static func withBytes<Result>(
    of url: URL, _ body: (StoreBytes) throws -> Result
  ) throws -> Result {
    // SQLite would wait for whoever writes to a pipe.
    try StoreLocation.requirePlainFile(url)
    var handle: OpaquePointer?
    // Opens the file, and reads no page of it: nothing is locked, recovered or made beside it.
    let code = UntimedOpening.around {
      sqlite3_open_v2(
        url.path, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    }
    defer { sqlite3_close_v2(handle) }
    guard code == SQLITE_OK, let handle else {
      throw unreadable(
        url.path, code, handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory")
    }
    var file: UnsafeMutablePointer<sqlite3_file>?
    let found = withUnsafeMutablePointer(to: &file) {
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, $0)
    }
    guard found == SQLITE_OK, let file, let methods = file.pointee.pMethods else {
      throw unreadable(url.path, found, "SQLite did not open it")
    }
    var size: Int64 = 0
    let sized = methods.pointee.xFileSize(file, &size)
    guard sized == SQLITE_OK else { throw unreadable(url.path, sized, "its size is not known") }
    return try body(StoreBytes(count: Int(size), file: file, path: url.path))
  }

  /// Some bytes from the beginning: fewer where the file ends before.
  func first(_ wanted: Int) throws -> Data {
    var data = Data(count: min(wanted, count))
    var done = 0
    while done < data.count {
      // Parts as large as SQLite's number of bytes can say.
      let part = min(data.count - done, 1 << 30)
      let code = data.withUnsafeMutableBytes { bytes in
        bytes.baseAddress.flatMap { base in
          file.pointee.pMethods.pointee.xRead(file, base + done, Int32(part), Int64(done))
        } ?? SQLITE_OK
      }
      guard code == SQLITE_OK else { throw Self.unreadable(path, code, "an error on the disk") }
      done += part
    }
    return data
  }

  /// Whether the file is a SQLite database, by its beginning.
  func isDatabase() throws -> Bool { try first(16) == Data("SQLite format 3\0".utf8) }

  private static func unreadable(_ path: String, _ code: Int32, _ message: String) -> NSError {
    CoreDataError.make(
      code & 0xff == SQLITE_CANTOPEN ? NSFileReadNoPermissionError : NSFileReadUnknownError,
      "\(path) cannot be read: \(message)",
      at: path, cause: SQLiteError(code: code, message: message, sql: nil))
  }
}
