/// A value that changes when a file is written or replaced.
package struct FileStamp: Equatable {
  // A replaced file has another inode number. A file that was written to has another size or time.
  private let device: UInt
  private let number: UInt
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// Creates the stamp of the file at a path; nil if there is no file, or if its status cannot be read.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    number = UInt(status.st_ino)
    size = Int(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
