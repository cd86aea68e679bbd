import Foundation
import StoreEngine

/// The files of a store's externally kept values, as a set that can be copied.
///
/// They are named by UUIDs, so the files of two stores lie side by side in one folder. All reading, writing,
/// listing and removing of them goes through here, and through a `FolderHandle`: a folder that is a link, or lies
/// elsewhere, is refused, and only plain files with such names are ever removed.
struct ExternalFiles {
  let folder: URL
  private let store: URL

  init(store url: URL) {
    store = url
    folder = ExternalStorage(store: url).folder
  }

  /// Whether another store has its files in the folder, too: one beside this store whose name differs in
  /// what follows the last full stop alone. Then nobody knows whose a file is that this store does not name.
  var isShared: Bool { !others.isEmpty }

  /// The other stores that have their files in the folder. A file that cannot be read may be one.
  var others: [URL] {
    let name = store.deletingPathExtension().lastPathComponent
    let home = store.deletingLastPathComponent()
    let neighbours = (try? FolderHandle(home.path).names()) ?? []
    return neighbours.map { home.appendingPathComponent($0) }.filter { other in
      other.deletingPathExtension().lastPathComponent == name
        && other.lastPathComponent != store.lastPathComponent
        && !["-wal", "-shm", "-journal"].contains(where: other.lastPathComponent.hasSuffix)
        && FileKind(path: other.path) == .plainFile
        && (try? StoreBytes.withBytes(of: other) { try $0.isDatabase() }) ?? true
    }
  }

  // MARK: The folder

  /// Opens the folder of the files; nil where there is none.
  ///
  /// - Throws: an error that names it, where it, or the folder that it is in, is a link or no folder: what lies
  ///   elsewhere is none of the store's.
  func open() throws -> FolderHandle? {
    try FolderHandle(store.deletingLastPathComponent().path)
      .folder(support.lastPathComponent)?.folder(folder.lastPathComponent)
  }

  /// Throws where the files cannot be used as they lie.
  func requireFolder() throws {
    let parent = store.deletingLastPathComponent().path
    if FileKind(path: parent) == .folder { _ = try open() }
  }

  /// Opens the folder, which is made as its store's owner's where there is none.
  func makeFolder() throws -> FolderHandle {
    let rights = FileRights(ofFile: store.path)
    let parent = try FolderHandle(store.deletingLastPathComponent().path)
    let support = try parent.makeFolder(support.lastPathComponent) {
      if let rights { $0.applyOwner(rights) }
      try parent.synchronize()
    }
    return try support.makeFolder(folder.lastPathComponent) {
      if let rights { $0.applyOwner(rights) }
      try support.synchronize()
    }
  }

  private var support: URL { folder.deletingLastPathComponent() }

  /// The paths of those of the two folders that exist.
  var presentFolders: Set<String> {
    Set(
      [support.path, folder.path].filter { FileKind(path: $0, followingLinks: false) == .folder })
  }

  /// Removes the two folders if they are empty, except those that existed before an operation that failed.
  ///
  /// - Parameter before: what ``presentFolders`` returned before the operation.
  func removeEmptyFolders(besides before: Set<String>) {
    guard let parent = try? FolderHandle(store.deletingLastPathComponent().path),
      let support = try? parent.folder(support.lastPathComponent)
    else { return }
    if !before.contains(folder.path) { _ = support.removeEmptyFolder(folder.lastPathComponent) }
    if !before.contains(self.support.path) {
      _ = parent.removeEmptyFolder(self.support.lastPathComponent)
    }
  }

  // MARK: Names

  /// What is in the folder.
  struct Content {
    /// Files with names that are UUIDs: those of values.
    var files: [String] = []
    /// Files that a process left unfinished when it ended.
    var drafts: [String] = []
    /// Everything else: links, folders, other names. None of it is the store's.
    var foreignNames: [String] = []
  }

  /// What is in the folder, in byte order; nothing where there is no folder.
  func content() throws -> Content {
    var content = Content()
    guard let folder = try open() else { return content }
    for name in try folder.names() {
      // A save may have removed it since the names were read.
      guard let kind = folder.kind(name) else { continue }
      let isDraft = name.hasSuffix(FolderHandle.draftSuffix)
      let base = isDraft ? String(name.dropLast(FolderHandle.draftSuffix.count)) : name
      if !Self.isName(base) || kind != .plainFile {
        content.foreignNames.append(name)
      } else if isDraft {
        content.drafts.append(name)
      } else {
        content.files.append(name)
      }
    }
    return content
  }

  /// Whether a text is the name of a file of a value: a UUID.
  static func isName(_ text: String) -> Bool {
    text.utf8.count == 36 && UUID(uuidString: text) != nil
  }

  /// Whether a folder has the file that a row names: under that name, or under the same name in upper case or in lower
  /// case, which are the names that `openFile` tries.
  ///
  /// - Parameter files: the names in the folder.
  static func isPresent(_ name: String, among files: Set<String>) -> Bool {
    files.contains(name) || otherSpellings(of: name).contains(where: files.contains)
  }

  private static func otherSpellings(of name: String) -> [String] {
    [name.uppercased(), name.lowercased()]
  }

  /// The names of the files, in byte order; none where there is no folder.
  func names() throws -> [String] {
    guard FileKind(path: store.deletingLastPathComponent().path) == .folder else { return [] }
    return try content().files
  }

  // MARK: Reading, writing and removing

  /// More bytes than that are no value of a store of ours: a file of a stranger's may say it has any
  /// number of them.
  private static let sizeLimit = 1 << 31

  /// The bytes of a file.
  ///
  /// - Throws: an error that names it, where it is not there, or no plain file such as a link that leads
  ///   elsewhere.
  func bytes(_ name: String) throws -> Data {
    let folder = try presentFolder(of: name)
    let (file, size) = try openValue(name, in: folder)
    return try Self.read(size, from: file, folder.path + "/" + name)
  }

  /// Opens the folder, in which there is to be a file.
  private func presentFolder(of name: String) throws -> FolderHandle {
    if let folder = try open() { return folder }
    errno = ENOENT
    throw FileErrors.failure("read", folder.path + "/" + name)
  }

  /// Opens a file that can be read as a value.
  private func openValue(
    _ name: String, in folder: FolderHandle
  ) throws -> (file: FileHandle, size: Int) {
    let (file, size) = try openFile(name, in: folder)
    guard size <= Self.sizeLimit else {
      throw CoreDataError.make(
        NSFileReadCorruptFileError, "\(folder.path)/\(name) has more than \(Self.sizeLimit) bytes",
        at: folder.path + "/" + name)
    }
    return (file, size)
  }

  /// Opens the file that a row names: under that name or, where no file has it, under the name in upper or in lower
  /// case. The file systems of Apple's machines ignore case, so a program there finds the file under either.
  private func openFile(
    _ name: String, in folder: FolderHandle
  ) throws -> (file: FileHandle, size: Int) {
    let file: FileHandle
    do {
      file = try folder.openFile(name)
    } catch {
      guard folder.kind(name) == nil,
        let other = Self.otherSpellings(of: name).first(where: { folder.kind($0) == .plainFile })
      else { throw error }
      file = try folder.openFile(other)
    }
    var status = stat()
    guard fstat(file.fileDescriptor, &status) == 0 else {
      throw FileErrors.failure("read", folder.path + "/" + name)
    }
    return (file, Int(status.st_size))
  }

  /// Why the file of a value cannot be read; nil for one that can be, and for one that is not there.
  ///
  /// - Parameter folder: the folder of the files.
  func fault(of name: String, in folder: FolderHandle) -> String? {
    do {
      _ = try openValue(name, in: folder)
      return nil
    } catch {
      let isThere = ([name] + Self.otherSpellings(of: name)).contains { folder.kind($0) != nil }
      return isThere ? error.localizedDescription : nil
    }
  }

  /// Reads so many bytes, or fewer where the file ends before. What another process adds meanwhile is not read: a
  /// file of a value is never changed, so it is no value's.
  private static func read(_ size: Int, from file: FileHandle, _ path: String) throws -> Data {
    if size == 0 { return Data() }
    var data = Data(count: size)
    var done = 0
    while done < size {
      let count = data.withUnsafeMutableBytes { bytes in
        bytes.baseAddress.map { Foundation.read(file.fileDescriptor, $0 + done, size - done) } ?? 0
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileErrors.failure("read", path) }
      if count == 0 { return data.prefix(done) }
      done += count
    }
    return data
  }

  /// How many bytes a file has, and the first of them.
  ///
  /// - Throws: what `bytes` throws where the file is not there, or no plain file.
  func beginning(_ name: String, _ count: Int) throws -> (size: Int, first: Data) {
    let folder = try presentFolder(of: name)
    let (file, size) = try openFile(name, in: folder)
    return (size, try Self.read(min(count, size), from: file, folder.path + "/" + name))
  }

  /// Writes a file of a value; it is whole and on the disk then, and its name with `synchronize()`.
  func write(_ data: Data, _ name: String) throws {
    let folder = try makeFolder()
    try folder.writeFile(name, rights: FileRights(ofFile: store.path)) { file in
      try data.withUnsafeBytes { try Self.write($0, to: file, folder.path + "/" + name) }
    }
  }

  /// Puts the folder's entries on the disk.
  func synchronize() throws { try open()?.synchronize() }

  private static func write(
    _ bytes: UnsafeRawBufferPointer, to file: Int32, _ path: String
  ) throws {
    var done = 0
    while done < bytes.count {
      let count =
        FileFault.happens(to: .write)
        ? -1 : Foundation.write(file, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileErrors.failure("write", path) }
      done += count
    }
  }

  /// Copies the files that the other store does not have. They are whole and on the disk then, so rows may name them.
  ///
  /// - Returns: the names of those that were copied.
  /// - Throws: when one cannot be copied; none is then left behind.
  func copy(to other: ExternalFiles) throws -> [String] {
    let names = try names()
    if names.isEmpty { return [] }
    guard let source = try open() else { return [] }
    let target = try other.makeFolder()
    let rights = FileRights(ofFile: other.store.path)
    var copied: [String] = []
    do {
      for name in names where target.kind(name) == nil {
        let file: FileHandle
        do {
          file = try source.openFile(name)
        } catch {
          // A save has removed it with its row.
          if source.kind(name) == nil { continue }
          throw error
        }
        // What a process left that ended while it copied.
        try target.removeFile(name + FolderHandle.draftSuffix)
        try target.writeFile(name, rights: rights) { copy in
          while let part = try file.read(upToCount: Self.portion), !part.isEmpty {
            try part.withUnsafeBytes { try Self.write($0, to: copy, target.path + "/" + name) }
          }
        }
        copied.append(name)
      }
      if !copied.isEmpty { try target.synchronize() }
    } catch {
      other.remove(copied)
      throw error
    }
    return copied
  }

  /// How many bytes are copied at once.
  private static let portion = 1 << 20

  /// Removes files, one by one and only plain ones. What cannot be removed is only waste, and is logged.
  ///
  /// - Returns: the names of those that stay.
  @discardableResult func remove(_ names: [String]) -> [String] {
    if names.isEmpty { return [] }
    do {
      guard let folder = try open() else { return [] }
      return names.filter { name in
        do {
          try folder.removeFile(name)
          return false
        } catch {
          Log.storeError("a file that no row names stays: \(error.localizedDescription)")
          return true
        }
      }
    } catch {
      Log.storeError("\(names.count) files that no row names stay: \(error.localizedDescription)")
      return names
    }
  }

  /// Removes all files and, when nothing of others is left in them, their folders.
  func removeAll() throws {
    let content = try content()
    remove(content.files + content.drafts)
    let parent = try FolderHandle(store.deletingLastPathComponent().path)
    guard let support = try parent.folder(support.lastPathComponent) else { return }
    guard support.removeEmptyFolder(folder.lastPathComponent),
      parent.removeEmptyFolder(self.support.lastPathComponent)
    else {
      return Log.storeNotice(
        "\(support.path) stays: there is something in it that is no file of the store's")
    }
  }
}
