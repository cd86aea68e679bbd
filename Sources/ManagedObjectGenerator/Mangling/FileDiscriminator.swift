import Digests
import Foundation

/// What symbols of private declarations tell of their file.
enum FileDiscriminator {
  /// An underscore and the MD5 of the names of module and file, so that two files of a module cannot
  /// have the same.
  static func of(file: String, in module: String) -> String {
    let name = URL(fileURLWithPath: file).lastPathComponent
    let digest = MD5.digest(of: (module + name).utf8)
    return "_" + digest.map { String(format: "%02X", $0) }.joined()
  }
}
