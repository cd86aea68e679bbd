/// The kind of a file-system item. Only plain files have content that can be read without blocking.
package enum FileKind: Equatable, Sendable {
  case plainFile, folder, link, pipe, socket, device, other

  /// Creates the kind from a file's mode (`st_mode`).
  package init(mode: some BinaryInteger) {
    switch mode_t(truncatingIfNeeded: mode) & S_IFMT {
    case S_IFREG: self = .plainFile
    case S_IFDIR: self = .folder
    case S_IFLNK: self = .link
    case S_IFIFO: self = .pipe
    case S_IFSOCK: self = .socket
    case S_IFCHR, S_IFBLK: self = .device
    default: self = .other
    }
  }

  /// Creates the kind of the item at a path; nil if there is none or the system cannot examine it.
  ///
  /// - Parameter followingLinks: Whether to resolve a symbolic link at the end of the path.
  package init?(path: String, followingLinks: Bool = true) {
    var status = stat()
    guard (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    self.init(mode: status.st_mode)
  }

  /// The kind as a phrase in messages: "it is …".
  package var phrase: String {
    switch self {
    case .plainFile: "a plain file"
    case .folder: "a folder"
    case .link: "a symbolic link"
    case .pipe: "a named pipe (FIFO)"
    case .socket: "a socket"
    case .device: "a device"
    case .other: "a special file"
    }
  }
}
