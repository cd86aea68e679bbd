import Digests
import Foundation

/// The part of a private declaration's symbol that identifies its file.
enum FileDiscriminator {
  /// Returns an underscore and the MD5 digest of the names of module and file, which makes it unique within a module.
  static func of(file: String, in module: String) -> String {
    // Without the folder, as the compiler computes it.
    let name = URL(fileURLWithPath: file).lastPathComponent
    let digest = MD5.digest(of: (module + name).utf8)
    return "_" + digest.map { String(format: "%02X", $0) }.joined()
  }
}
