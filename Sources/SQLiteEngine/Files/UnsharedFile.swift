import StoreEngine

/// A file, usually in WAL mode, that no other process had open when it was opened for reading. As long as no process
/// writes to it, it is read without the files that SQLite needs to share a log, so that nothing next to it is created
/// or changed.
struct UnsharedFile {
  private let path: String
  /// The stamps of the file and of the files next to it; nil for a missing file.
  private let stamps: [FileStamp?]

  private static let sideFiles = ["-wal", "-shm", "-journal"]

  /// Nil unless the process may write to the file and its folder: sharing a log requires files next to it.
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

  /// Whether the file and the files next to it are unchanged since this value was created. They change when another
  /// process opens a file in WAL mode for writing, or writes to a file in another mode. Also true for a missing file,
  /// which `ConnectionPool` detects.
  var isStill: Bool {
    let present = Self.stamps(path)
    return present[0] == nil || present == stamps
  }

  static func hasSideFiles(_ path: String) -> Bool {
    sideFiles.contains { access(path + $0, F_OK) == 0 }
  }
}
