import CSQLite
import StoreEngine

/// The bytes of a file that may be a store, read through SQLite.
///
/// The content of a store's file is never read in another way. POSIX locks of a file belong to the whole process, and
/// are released when the process closes any descriptor of the file. Without SQLite's locks, other processes could
/// remove the write-ahead log of a store that is open in this process. SQLite keeps track of its own descriptors, and
/// does not close one while the file is locked through another. Only `FileUse` opens such a file itself, to test for
/// locks, and only while this process has no other descriptor of the file and SQLite cannot lock it.
struct StoreBytes {
  /// The length of the file.
  let count: Int
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let path: String

  /// Runs `body` with the bytes of a file, which are only valid during the call.
  ///
  /// - Throws: An error with the path, if the file does not exist, is not a plain file or is not readable.
  static func withBytes<Result>(
    of url: URL, _ body: (StoreBytes) throws -> Result
  ) throws -> Result {
    // SQLite would wait for a writer if the file is a pipe.
    try StoreLocation.requirePlainFile(url)
    var handle: OpaquePointer?
    // Opens the file without reading a page, so nothing is locked, recovered or created next to it.
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
    guard sized == SQLITE_OK else {
      throw unreadable(url.path, sized, "its size could not be determined")
    }
    return try body(StoreBytes(count: Int(size), file: file, path: url.path))
  }

  /// Returns bytes from the beginning, or all if the file is shorter.
  func first(_ wanted: Int) throws -> Data {
    var data = Data(count: min(wanted, count))
    var done = 0
    while done < data.count {
      // SQLite represents the size of a read in 32 bits.
      let part = min(data.count - done, 1 << 30)
      let code = data.withUnsafeMutableBytes { bytes in
        bytes.baseAddress.flatMap { base in
          file.pointee.pMethods.pointee.xRead(file, base + done, Int32(part), Int64(done))
        } ?? SQLITE_OK
      }
      guard code == SQLITE_OK else { throw Self.unreadable(path, code, "a read error") }
      done += part
    }
    return data
  }

  /// Returns whether the file begins like a SQLite database.
  func isDatabase() throws -> Bool { try first(16) == Data("SQLite format 3\0".utf8) }

  private static func unreadable(_ path: String, _ code: Int32, _ message: String) -> NSError {
    CoreDataError.make(
      code & 0xff == SQLITE_CANTOPEN ? NSFileReadNoPermissionError : NSFileReadUnknownError,
      "\(path) cannot be read: \(message)",
      at: path, cause: SQLiteError(code: code, message: message, sql: nil))
  }
}
