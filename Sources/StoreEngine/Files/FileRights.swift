/// Whose a store's file is, and who may read and write it: the files of its values are the same, as SQLite's own
/// beside it are.
///
/// What cannot be set is logged, and not an error: some file systems know no rights, and files are made so that
/// nobody else may read them. Links are not followed: they may lead to what is none of the store's.
package struct FileRights {
  private let mode: mode_t
  private let owner: uid_t
  private let group: gid_t

  /// The rights of a file; nil where there is none.
  package init?(ofFile path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    mode = status.st_mode & 0o666
    owner = status.st_uid
    group = status.st_gid
  }

  /// Makes an empty file for a copy of this one: its maker's, and no more readable to others.
  package func makeCopy(_ path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0o066 | 0o600)
    guard file >= 0 else { throw FileErrors.failure("write", path) }
    close(file)
  }

  /// Applies them to an open file.
  package func apply(to file: Int32, _ path: String) {
    var status = stat()
    guard fstat(file, &status) == 0 else { return Self.log(path) }
    // The owner first: changing it may take away rights.
    applyOwner(to: file, status, path)
    if status.st_mode & 0o777 != mode, fchmod(file, mode) != 0 { Self.log(path) }
  }

  /// Makes the owner of the store's file that of an open folder, too, which was made just now.
  package func applyOwner(toOpenFolder folder: Int32, _ path: String) {
    var status = stat()
    guard fstat(folder, &status) == 0 else { return Self.log(path) }
    applyOwner(to: folder, status, path)
  }

  private func applyOwner(to file: Int32, _ status: stat, _ path: String) {
    if status.st_uid == owner, status.st_gid == group { return }
    // Only who may do everything gives files away; all others may choose among their groups.
    let isAllowed = geteuid() == 0
    if fchown(file, isAllowed ? owner : uid_t.max, group) != 0, isAllowed { Self.log(path) }
  }

  private static func log(_ path: String) {
    Log.storeNotice("\(path) has other rights than its store: \(String(cString: strerror(errno)))")
  }
}
