import Foundation

/// Whose a store's file is, and who may read and write it: the files of its values are the same, as SQLite's own
/// beside it are.
struct FileRights {
  private let mode: mode_t
  private let owner: uid_t
  private let group: gid_t

  /// The rights of a file; nil where there is none.
  init?(ofFile path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    mode = status.st_mode & 0o666
    owner = status.st_uid
    group = status.st_gid
  }

  /// Gives them to another file.
  func give(to path: String) throws {
    guard chmod(path, mode) == 0, giveOwner(path) else {
      throw ExternalWriter.failure("write", path)
    }
  }

  /// Makes the owner of the store's file that of its folders, too. Everybody who may search them could before.
  func giveOwner(toFolder path: String) throws {
    guard giveOwner(path) else { throw ExternalWriter.failure("write", path) }
  }

  /// Only a process that may do everything has files of others.
  private func giveOwner(_ path: String) -> Bool {
    geteuid() != 0 || chown(path, owner, group) == 0
  }
}
