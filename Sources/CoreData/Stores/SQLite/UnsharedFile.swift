import Foundation

/// A WAL-mode file that nobody else had open when it was opened for reading: it is read without the files that SQLite
/// shares a log by, so that nothing is made beside it, for as long as nobody writes to it.
struct UnsharedFile {
  private let path: String
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// Nil where nothing can be made beside the file anyway.
  init?(_ path: String) {
    var status = stat()
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard access(path, W_OK) == 0, access(folder, W_OK) == 0, stat(path, &status) == 0 else {
      return nil
    }
    self.path = path
    size = Int(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }

  /// Whether nobody has opened it for writing, nor has written to it, since.
  var isStill: Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return true }
    return Int(status.st_size) == size && status.st_mtim.tv_sec == seconds
      && status.st_mtim.tv_nsec == nanoseconds && !Self.hasSideFiles(path)
  }

  static func hasSideFiles(_ path: String) -> Bool {
    ["-wal", "-shm", "-journal"].contains { access(path + $0, F_OK) == 0 }
  }
}
