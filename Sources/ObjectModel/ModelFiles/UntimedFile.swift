/// Opens files for reading in a way that does not update their access times, so that reading a file does not change it
/// (`O_NOATIME` on Linux, see open(2)).
///
/// The system allows this flag only to the file's owner and the superuser. If the process belongs to another user, the
/// file is opened without the flag.
package enum UntimedFile {
  #if os(Linux) || os(Android)
    /// `O_NOATIME`, which Glibc's headers declare only with a feature macro.
    package static let flag: Int32 = 0o1000000
  #else
    package static let flag: Int32 = 0
  #endif

  /// Opens a file or folder at a path, or with a name in an open folder.
  ///
  /// - Returns: The descriptor, or a negative number with the reason in `errno`.
  package static func open(_ path: String, in folder: Int32 = AT_FDCWD, _ flags: Int32) -> Int32 {
    let file = openat(folder, path, flags | flag)
    guard file < 0, errno == EPERM, flag != 0 else { return file }
    return openat(folder, path, flags)
  }
}
