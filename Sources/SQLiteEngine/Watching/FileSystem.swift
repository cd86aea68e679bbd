import Foundation
import StoreEngine

/// Properties of the file system that contains a file.
enum FileSystem {
  /// Returns whether a file may be on a file system that another computer, or the host of this virtual machine, also
  /// writes to. The kernel posts no notifications of such writes.
  static func isShared(_ path: String) -> Bool {
    #if os(Linux) || os(Android)
      var info = stat()
      guard stat(path, &info) == 0,
        let mounts = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8),
        let type = type(ofDevice: UInt64(info.st_dev), in: mounts)
      else { return false }
      return isShared(type: type)
    #else
      return false
    #endif
  }

  /// Returns the type of a device's file system from the lines of `/proc/self/mountinfo` (proc(5)): `36 35 98:0 /root
  /// /mount options … - type source options`.
  static func type(ofDevice device: UInt64, in mounts: String) -> String? {
    // The major and minor numbers are spread over the bits of a device number (makedev(3)).
    let major = (device >> 32 & 0xffff_f000) | (device >> 8 & 0xfff)
    let minor = (device >> 12 & 0xffff_ff00) | (device & 0xff)
    let name = "\(major):\(minor)"
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 4, fields[2] == name,
        let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count
      else { continue }
      return String(fields[dash + 1])
    }
    return nil
  }

  /// Returns whether several computers may write to file systems of a type. For `fuse` this depends on the program that
  /// implements the file system, so it counts as shared.
  static func isShared(type: String) -> Bool {
    type == "fuse" || type.hasPrefix("fuse.") || sharedTypes.contains(type)
  }

  private static let sharedTypes: Set<String> = [
    "9p", "afs", "ceph", "cifs", "gfs2", "gpfs", "lustre", "nfs", "nfs4", "ocfs2", "prl_fs", "smb3",
    "smbfs", "vboxsf", "virtiofs", "vmhgfs",
  ]
}
