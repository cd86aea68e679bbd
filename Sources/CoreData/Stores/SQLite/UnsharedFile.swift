import Foundation

/// A WAL-mode file that nobody else had open when it was opened for reading: it is read without the files that SQLite
/// shares a log by, so that nothing is made beside it, for as long as nobody writes to it.
struct UnsharedFile {
  private let path: String
  private let stamp: FileStamp

  /// Nil where nothing can be made beside the file anyway.
  init?(_ path: String) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard access(path, W_OK) == 0, access(folder, W_OK) == 0, let stamp = FileStamp(path) else {
      return nil
    }
    self.path = path
    self.stamp = stamp
  }

  /// Whether nobody has opened it for writing, nor has written to it, since. One that is gone is told of elsewhere.
  var isStill: Bool {
    guard let present = FileStamp(path) else { return true }
    return present == stamp && !Self.hasSideFiles(path)
  }

  static func hasSideFiles(_ path: String) -> Bool {
    ["-wal", "-shm", "-journal"].contains { access(path + $0, F_OK) == 0 }
  }
}
