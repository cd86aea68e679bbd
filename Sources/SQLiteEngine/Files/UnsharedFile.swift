import StoreEngine

/// A WAL-mode file that nobody else had open when it was opened for reading: it is read without the files that SQLite
/// shares a log by, so that nothing is made or changed beside it, for as long as nobody writes to it.
struct UnsharedFile {
  private let path: String
  /// The file and those beside it as they were; nil for one that is not there.
  private let stamps: [FileStamp?]

  private static let sideFiles = ["-wal", "-shm", "-journal"]

  /// Nil where nothing can be made beside the file anyway.
  init?(_ path: String) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard access(path, W_OK) == 0, access(folder, W_OK) == 0, FileStamp(path) != nil else {
      return nil
    }
    self.path = path
    stamps = Self.stamps(path)
  }

  private static func stamps(_ path: String) -> [FileStamp?] {
    [FileStamp(path)] + sideFiles.map { FileStamp(path + $0) }
  }

  /// Whether nobody has opened it for writing, nor has written to it, since. One that is gone is told of elsewhere.
  var isStill: Bool {
    let present = Self.stamps(path)
    return present[0] == nil || present == stamps
  }

  static func hasSideFiles(_ path: String) -> Bool {
    sideFiles.contains { access(path + $0, F_OK) == 0 }
  }
}
