/// A folder that is held open, and the one way in which files beside a store are reached.
///
/// Names are looked up in the folder itself (`openat` and its relatives), never through a path that another
/// process may exchange meanwhile, and symbolic links are not followed. A file is opened without waiting and only
/// where it is a plain one; a file is removed only where it is a plain one, and a folder only where it is empty.
package final class FolderHandle {
  /// What the name of a file ends in that is not whole yet.
  package static let draftSuffix = ".new"

  /// Where the folder was found; for messages.
  package let path: String
  private let descriptor: Int32

  private init(_ descriptor: Int32, _ path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  #if os(Linux) || os(Android)
    /// O_PATH, which Glibc's headers show only on request: for folders in which names may be looked up
    /// but not listed.
    private static let searchOnly: Int32 = 0o10000000
  #else
    private static let searchOnly: Int32 = O_RDONLY
  #endif

  /// Opens a folder by its path, as the user named it: links on the way are followed.
  ///
  /// - Throws: an error that names it, where it is not there or no folder.
  package convenience init(_ path: String) throws {
    let descriptor = Self.open(AT_FDCWD, path, 0)
    guard descriptor >= 0 else { throw FileErrors.failure("read", path) }
    self.init(descriptor, path)
  }

  private static func open(_ folder: Int32, _ name: String, _ flags: Int32) -> Int32 {
    let flags = flags | O_DIRECTORY | O_CLOEXEC
    let descriptor = UntimedFile.open(name, in: folder, O_RDONLY | flags)
    guard descriptor < 0, errno == EACCES else { return descriptor }
    return openat(folder, name, searchOnly | flags)
  }

  private func place(_ name: String) -> String { path + "/" + name }

  // MARK: Folders

  /// Opens a folder in this one; nil where nothing has the name.
  ///
  /// - Throws: an error that says what it is, where it is something else, a link to a folder included.
  package func folder(_ name: String) throws -> FolderHandle? {
    let descriptor = Self.open(self.descriptor, name, O_NOFOLLOW)
    if descriptor >= 0 { return FolderHandle(descriptor, place(name)) }
    let reason = errno
    if reason == ENOENT { return nil }
    if let kind = kind(name), kind != .folder {
      throw CoreDataError.make(
        NSFileReadCorruptFileError,
        "\(place(name)) is \(kind.phrase), not a folder: files of a store's values are used only in the"
          + " folder beside the store itself", at: place(name))
    }
    errno = reason
    throw FileErrors.failure("read", place(name))
  }

  /// Opens a folder in this one, which is made where nothing has the name.
  ///
  /// - Parameter made: is called with the open folder when it was made here.
  package func makeFolder(_ name: String, made: (FolderHandle) throws -> Void) throws
    -> FolderHandle
  {
    if let present = try folder(name) { return present }
    // Another process may make it at the same time.
    let isMade = mkdirat(descriptor, name, 0o777) == 0
    guard isMade || errno == EEXIST else { throw FileErrors.failure("write", place(name)) }
    guard let folder = try folder(name) else {
      errno = ENOENT
      throw FileErrors.failure("write", place(name))
    }
    if isMade { try made(folder) }
    return folder
  }

  /// Removes a folder in this one if it is empty; false where it stays.
  package func removeEmptyFolder(_ name: String) -> Bool {
    unlinkat(descriptor, name, AT_REMOVEDIR) == 0 || errno == ENOENT
  }

  /// Puts the folder's entries on the disk.
  package func synchronize() throws {
    let file = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw FileErrors.failure("write", path) }
    defer { close(file) }
    // Some file systems know no such thing for folders.
    guard !FileFault.happens(to: .sync), fsync(file) == 0 || errno == EINVAL else {
      throw FileErrors.failure("write", path)
    }
  }

  /// Makes the owner of a store's file that of this folder.
  package func applyOwner(_ rights: FileRights) {
    let file = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    rights.applyOwner(toOpenFolder: file, path)
  }

  // MARK: Names

  /// The kind of what has a name here, links not followed; nil where nothing has it.
  package func kind(_ name: String) -> FileKind? { status(name).map { FileKind(mode: $0.st_mode) } }

  /// When a name's content was changed last; nil where nothing has the name.
  package func modificationDate(_ name: String) -> Date? {
    status(name).map {
      Date(timeIntervalSince1970: Double($0.st_mtim.tv_sec) + Double($0.st_mtim.tv_nsec) / 1e9)
    }
  }

  private func status(_ name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// The names in the folder, in byte order.
  package func names() throws -> [String] {
    // A stream of its own: the place of reading belongs to the open file.
    let file = UntimedFile.open(".", in: descriptor, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw FileErrors.failure("read", path) }
    guard let stream = fdopendir(file) else {
      close(file)
      throw FileErrors.failure("read", path)
    }
    defer { closedir(stream) }
    var names: [String] = []
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

  /// Opens a plain file for reading.
  ///
  /// - Throws: an error that says what it is, where it is something else; it never waits.
  package func openFile(_ name: String) throws -> FileHandle {
    let file = UntimedFile.open(
      name, in: descriptor, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else {
      let reason = errno
      if let kind = kind(name), kind != .plainFile { throw notPlain(name, kind) }
      errno = reason
      throw FileErrors.failure("read", place(name))
    }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    var status = stat()
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

  /// Writes a file as a whole: it has its name when all of it is on the disk, and nothing is left where it fails.
  ///
  /// - Parameters:
  ///   - name: what nothing else has as its name; `name` and a suffix is the draft's.
  ///   - rights: whose the file is to be and who may read it; nil for its maker alone.
  ///   - write: gets the open draft.
  package func writeFile(
    _ name: String, rights: FileRights?, _ write: (Int32) throws -> Void
  ) throws {
    let draft = name + FolderHandle.draftSuffix
    let file =
      FileFault.happens(to: .open)
      ? -1
      : openat(descriptor, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FileErrors.failure("write", place(draft)) }
    var isDone = false
    defer {
      close(file)
      if !isDone { unlinkat(descriptor, draft, 0) }
    }
    rights?.apply(to: file, place(draft))
    try write(file)
    guard !FileFault.happens(to: .sync), fsync(file) == 0, !FileFault.happens(to: .rename),
      renameat(descriptor, draft, descriptor, name) == 0
    else { throw FileErrors.failure("write", place(draft)) }
    isDone = true
  }

  /// Removes a plain file; one that is gone already is no error.
  ///
  /// - Throws: an error that says what it is, where it is something else, which then stays.
  package func removeFile(_ name: String) throws {
    guard let kind = kind(name) else { return }
    guard kind == .plainFile else { throw notPlain(name, kind) }
    // Whatever has the name by now: a folder is not removed in this way, and of a link only itself.
    guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
      throw FileErrors.failure("remove", place(name))
    }
  }
}
