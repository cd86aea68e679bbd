import Foundation

/// What the system tells files apart by, whatever their paths are.
struct FileNumber: Equatable {
  private let device: UInt64
  private let number: UInt64

  /// Of the file that a path leads to now; nil where there is none.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }
}
