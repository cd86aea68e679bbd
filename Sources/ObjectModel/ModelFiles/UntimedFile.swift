/// Opens files for reading without a note of the time in them: what is only read stays as it is, the time of its
/// last reading included (`O_NOATIME` of Linux, see open(2)).
///
/// The system allows that to whoever owns a file and to the superuser. Others open it as usual.
package enum UntimedFile {
  #if os(Linux) || os(Android)
    /// `O_NOATIME`, which Glibc's headers show only on request.
    package static let flag: Int32 = 0o1000000
  #else
    package static let flag: Int32 = 0
  #endif

  /// Opens a file or a folder that is named by a path, or by a name in an open folder.
  ///
  /// - Returns: the descriptor, or a negative number with the reason in `errno`.
  package static func open(_ path: String, in folder: Int32 = AT_FDCWD, _ flags: Int32) -> Int32 {
    let file = openat(folder, path, flags | flag)
    guard file < 0, errno == EPERM, flag != 0 else { return file }
    return openat(folder, path, flags)
  }
}
