import Digests
import Foundation

/// The part of a private declaration's symbol that identifies its file.
enum FileDiscriminator {
  /// Returns an underscore and the MD5 digest of the names of the module and the file. No two files of a module have
  /// the same name, so the result is unique within a module.
  static func of(file: String, in module: String) -> String {
    // The compiler leaves out the folder, too.
    let name = URL(fileURLWithPath: file).lastPathComponent
    let digest = MD5.digest(of: (module + name).utf8)
    return "_" + digest.map { String(format: "%02X", $0) }.joined()
  }
}
