/// An open folder, for access to the files and folders in it by name.
///
/// Names are looked up in the folder itself (`openat` and related functions), because another process could replace a
/// folder on a path between two operations. Symbolic links are not followed. Files are opened and removed only if they
/// are plain files, and folders are removed only if they are empty. Opening never blocks.
package final class FolderHandle {
  /// The suffix of the name of an incomplete file.
  package static let draftSuffix = ".new"

  /// The path of the folder, for messages.
  package let path: String
  private let descriptor: Int32

  private init(_ descriptor: Int32, _ path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  #if os(Linux) || os(Android)
    /// O_PATH, which Glibc's headers declare only on request. Such a descriptor refers to a file or folder without
    /// opening it, which suffices to look up names in a folder that the process is not allowed to list.
    package static let pathOnly: Int32 = 0o10000000
  #else
    private static let pathOnly: Int32 = O_RDONLY
  #endif

  /// Opens a folder by a path that the user chose, so links in it are followed.
  ///
  /// - Throws: An error with the path, if the folder cannot be opened, for example because it does not exist.
  package convenience init(_ path: String) throws {
    let descriptor = Self.open(AT_FDCWD, path, 0)
    guard descriptor >= 0 else { throw FileErrors.failure("read", path) }
    self.init(descriptor, path)
  }

  private static func open(_ folder: Int32, _ name: String, _ flags: Int32) -> Int32 {
    let flags = flags | O_DIRECTORY | O_CLOEXEC
    let descriptor = UntimedFile.open(name, in: folder, O_RDONLY | flags)
    // Files with values are opened by name, and the permission to search the folder suffices for that.
    guard descriptor < 0, errno == EACCES else { return descriptor }
    return openat(folder, name, pathOnly | flags)
  }

  private func place(_ name: String) -> String { path + "/" + name }

  // MARK: Folders

  /// Opens a folder in this one; nil if it does not exist.
  ///
  /// - Throws: An error that describes the file, if it is not a folder, or is a link to one; the system's error, if the
  ///   folder cannot be opened.
  package func folder(_ name: String) throws -> FolderHandle? {
    let descriptor = Self.open(self.descriptor, name, O_NOFOLLOW)
    if descriptor >= 0 { return FolderHandle(descriptor, place(name)) }
    // The calls below may change errno.
    let reason = errno
    if reason == ENOENT { return nil }
    if let kind = kind(name), kind != .folder {
      throw CoreDataError.make(
        NSFileReadCorruptFileError,
        "\(place(name)) is \(kind.phrase), not a folder: value files must be in a plain"
          + " folder next to the store", at: place(name))
    }
    errno = reason
    throw FileErrors.failure("read", place(name))
  }

  /// Opens a folder in this one, creating it if it does not exist.
  ///
  /// - Parameter made: Called with the open folder if it was created.
  package func makeFolder(_ name: String, made: (FolderHandle) throws -> Void) throws
    -> FolderHandle
  {
    if let present = try folder(name) { return present }
    // Another process may create it at the same time.
    // The umask of the process restricts the permissions.
    let isMade = mkdirat(descriptor, name, 0o777) == 0
    guard isMade || errno == EEXIST else { throw FileErrors.failure("write", place(name)) }
    guard let folder = try folder(name) else {
      errno = ENOENT
      throw FileErrors.failure("write", place(name))
    }
    if isMade { try made(folder) }
    return folder
  }

  /// Removes a folder in this one if it is empty. Returns false if it could not be removed.
  package func removeEmptyFolder(_ name: String) -> Bool {
    unlinkat(descriptor, name, AT_REMOVEDIR) == 0 || errno == ENOENT
  }

  /// Writes the entries of the folder to the disk.
  package func synchronize() throws {
    // Opens the folder again, because fsync does not accept a descriptor that is only for looking up names.
    let file = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw FileErrors.failure("write", path) }
    defer { close(file) }
    // Some file systems do not support fsync for folders, and report EINVAL.
    guard !FileFault.happens(to: .sync), fsync(file) == 0 || errno == EINVAL else {
      throw FileErrors.failure("write", path)
    }
  }

  /// Sets the owner and group of this folder to those of a store's file.
  package func applyOwner(_ rights: FileRights) {
    let file = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    rights.applyOwner(toOpenFolder: file, path)
  }

  // MARK: Names

  /// Returns the kind of the file with a name, without following links; nil if there is none, or if its status cannot
  /// be read.
  package func kind(_ name: String) -> FileKind? { status(name).map { FileKind(mode: $0.st_mode) } }

  /// Returns the date when a file was last modified; nil if there is no such file, or if its status cannot be read.
  package func modificationDate(_ name: String) -> Date? {
    status(name).map {
      Date(timeIntervalSince1970: Double($0.st_mtim.tv_sec) + Double($0.st_mtim.tv_nsec) / 1e9)
    }
  }

  private func status(_ name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Returns the names in the folder, in byte order.
  package func names() throws -> [String] {
    // Opens the folder again, so that each listing begins at the first name.
    let file = UntimedFile.open(".", in: descriptor, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw FileErrors.failure("read", path) }
    guard let stream = fdopendir(file) else {
      close(file)
      throw FileErrors.failure("read", path)
    }
    defer { closedir(stream) }
    var names: [String] = []
    // readdir returns nil at the end and for an error, and only sets errno in the second case.
    errno = 0
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw FileErrors.failure("read", path) }
    return names.sorted()
  }

  // MARK: Files

  /// Opens a plain file for reading, without blocking.
  ///
  /// - Throws: An error that describes the file, if it is not a plain file; the system's error, if the file cannot be
  ///   opened, for example because it does not exist.
  package func openFile(_ name: String) throws -> FileHandle {
    // Without O_NONBLOCK, opening a pipe would wait for its writer. Without O_NOCTTY, a terminal could become the
    // controlling terminal of the process.
    let file = UntimedFile.open(
      name, in: descriptor, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else {
      let reason = errno
      if let kind = kind(name), kind != .plainFile { throw notPlain(name, kind) }
      errno = reason
      throw FileErrors.failure("read", place(name))
    }
    // Create the handle before the checks, so that the file is closed if one of them throws.
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    var status = stat()
    // Only the kind of the open file is certain, because the name may belong to another file by
    // now.
    guard fstat(file, &status) == 0 else { throw FileErrors.failure("read", place(name)) }
    let kind = FileKind(mode: status.st_mode)
    guard kind == .plainFile else { throw notPlain(name, kind) }
    return handle
  }

  private func notPlain(_ name: String, _ kind: FileKind) -> NSError {
    CoreDataError.make(
      NSFileReadCorruptFileError, "\(place(name)) is \(kind.phrase), not a plain file",
      at: place(name))
  }

  /// Writes a file as a whole. The file gets its name when its content is on the disk. If writing fails, no file is
  /// left.
  ///
  /// - Parameters:
  ///   - name: The unused name of the file. Until the file is complete, a suffix is appended.
  ///   - rights: The owner and permissions of the file; nil for the current user only.
  ///   - write: Called with the open file.
  package func writeFile(
    _ name: String, rights: FileRights?, _ write: (Int32) throws -> Void
  ) throws {
    let draft = name + FolderHandle.draftSuffix
    let file =
      FileFault.happens(to: .open)
      ? -1
      // With O_EXCL, a file or link that another program has put there is not overwritten.
      : openat(descriptor, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FileErrors.failure("write", place(draft)) }
    var isDone = false
    defer {
      close(file)
      if !isDone { unlinkat(descriptor, draft, 0) }
    }
    rights?.apply(to: file, place(draft))
    try write(file)
    // Synchronize before renaming: if the system crashed after a rename alone, the name could
    // belong to an empty file.
    guard !FileFault.happens(to: .sync), fsync(file) == 0, !FileFault.happens(to: .rename),
      renameat(descriptor, draft, descriptor, name) == 0
    else { throw FileErrors.failure("write", place(draft)) }
    isDone = true
  }

  /// Removes a plain file. A missing file is not an error.
  ///
  /// - Throws: An error that describes the file, if it is not a plain file; the system's error, if the file cannot be
  ///   removed. In both cases, the file remains.
  package func removeFile(_ name: String) throws {
    guard let kind = kind(name) else { return }
    guard kind == .plainFile else { throw notPlain(name, kind) }
    // If another process has replaced the file with a folder by now, this call fails. If it has replaced the file with
    // a link, this call removes only the link itself.
    guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
      throw FileErrors.failure("remove", place(name))
    }
  }
}
