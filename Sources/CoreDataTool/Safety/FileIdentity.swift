import Foundation
import StoreInspection

/// The identity of a file: its device and its inode, which are the same for all paths to the file.
struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
}

extension FileIdentity {
  /// Creates the identity of the file at a path, following links; nil if there is none.
  init?(path: String) {
    #if os(Windows)
      return nil
    #else
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = UInt64(truncatingIfNeeded: status.st_dev)
      inode = UInt64(truncatingIfNeeded: status.st_ino)
    #endif
  }

  /// The file's name in `/proc/locks`: major and minor device number in hexadecimal, the inode in decimal.
  var lockName: String {
    // The C library's `major` and `minor` are macros, which Swift does not import.
    let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
    let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
    return String(format: "%02llx:%02llx:%llu", major, minor, inode)
  }
}
