/// The owner, group and permissions of a store's file. Files of external values get the same owner, group and
/// permissions, as SQLite's files next to the store do.
///
/// A failure to set them is not an error: some file systems do not support permissions, and without them a file is
/// readable only by the user who created it. The failure is logged, unless a user other than root cannot set the owner
/// or group. Rights are set only on open files, never on a path, because a link there may lead to a file that does not
/// belong to the store.
package struct FileRights {
  private let mode: mode_t
  private let owner: uid_t
  private let group: gid_t

  /// Reads the rights of a file. Returns nil if the file does not exist, or if its status cannot be read.
  package init?(ofFile path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    // Value files are data, so they are not executable.
    mode = status.st_mode & 0o666
    owner = status.st_uid
    group = status.st_gid
  }

  /// Creates an empty file for a copy of the file with these rights. The current user owns it, and a user who
  /// cannot read the original cannot read the copy either.
  package func makeCopy(_ path: String) throws {
    // The current user must be able to write the copy, even of a file that is read-only.
    let file = open(
      path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, modeForOtherGroup & 0o066 | 0o600)
    guard file >= 0 else { throw FileErrors.failure("write", path) }
    defer { close(file) }
    var status = stat()
    if mode != modeForOtherGroup, fstat(file, &status) == 0, status.st_gid == group,
      fchmod(file, mode & 0o066 | 0o600) != 0
    {
      Self.log(path)
    }
  }

  /// The permissions of a file whose group is not the store's. Members of that group may do only what all users may.
  private var modeForOtherGroup: mode_t { (mode & 0o707) | (mode & ((mode & 0o007) << 3)) }

  /// Applies the rights to an open file.
  package func apply(to file: Int32, _ path: String) {
    var status = stat()
    guard fstat(file, &status) == 0 else { return Self.log(path) }
    // The owner is set first, because changing it may clear permissions.
    let mode = applyOwner(to: file, status, path) ? self.mode : modeForOtherGroup
    if status.st_mode & 0o777 != mode, fchmod(file, mode) != 0 { Self.log(path) }
  }

  /// Sets the owner and group of a new, open folder to those of the store's file.
  package func applyOwner(toOpenFolder folder: Int32, _ path: String) {
    var status = stat()
    guard fstat(folder, &status) == 0 else { return Self.log(path) }
    applyOwner(to: folder, status, path)
  }

  /// Sets the owner and group of an open folder to those of the store's file, and lets all users open it who can read
  /// the file. Does nothing if another user owns the folder.
  package func admitReaders(toOpenFolder folder: Int32, _ path: String) {
    var status = stat()
    guard fstat(folder, &status) == 0 else { return Self.log(path) }
    if status.st_uid != geteuid() { return }
    let readers = (applyOwner(to: folder, status, path) ? mode : modeForOtherGroup) & 0o044
    if status.st_mode & 0o777 != 0o700 | readers, fchmod(folder, 0o700 | readers) != 0 {
      Self.log(path)
    }
  }

  /// Sets the owner and group of a file or folder. Returns whether it now has the group.
  @discardableResult
  private func applyOwner(to file: Int32, _ status: stat, _ path: String) -> Bool {
    if status.st_uid == owner, status.st_gid == group { return true }
    // Only root can change the owner. Other users can only choose one of their own groups.
    let isAllowed = geteuid() == 0
    // The greatest number leaves the owner unchanged (chown(2)).
    if fchown(file, isAllowed ? owner : uid_t.max, group) == 0 { return true }
    if isAllowed { Self.log(path) }
    return status.st_gid == group
  }

  private static func log(_ path: String) {
    Log.storeNotice(
      "cannot set the owner and permissions of \(path) to those of its store's file:"
        + " \(String(cString: strerror(errno)))")
  }
}
