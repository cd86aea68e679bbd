import Foundation
import StoreEngine

/// The value files of a store.
///
/// Their names are UUIDs, so a folder can contain the files of two stores. All code that reads, writes, lists or
/// removes them uses this type and a `FolderHandle`, which refuses a symbolic link in place of the folder and removes
/// only plain files and empty folders.
struct ExternalFiles {
  let folder: URL
  private let store: URL

  init(store url: URL) {
    store = url
    folder = ExternalStorage(store: url).folder
  }

  /// Whether another store has its files in the folder, too: one next to this store whose name differs only in its
  /// extension. Then it is unknown which store owns a file that this store does not refer to.
  var isShared: Bool { !others.isEmpty }

  /// The other stores with files in the folder. An unreadable file counts as a store, because it may be one.
  var others: [URL] {
    let name = store.deletingPathExtension().lastPathComponent
    let home = store.deletingLastPathComponent()
    let neighbors = (try? FolderHandle(home.path).names()) ?? []
    return neighbors.map { home.appendingPathComponent($0) }.filter { other in
      other.deletingPathExtension().lastPathComponent == name
        && other.lastPathComponent != store.lastPathComponent
        && !["-wal", "-shm", "-journal"].contains(where: other.lastPathComponent.hasSuffix)
        && FileKind(path: other.path) == .plainFile
        && (try? StoreBytes.withBytes(of: other) { try $0.isDatabase() }) ?? true
    }
  }

  // MARK: The folder

  /// Opens the folder of the files; nil if it does not exist.
  ///
  /// - Throws: An error with the path, if the folder or its parent is a link or not a folder, because files in
  ///   another folder do not belong to the store.
  func open() throws -> FolderHandle? {
    try FolderHandle(store.deletingLastPathComponent().path)
      .folder(support.lastPathComponent)?.folder(folder.lastPathComponent)
  }

  /// Throws the error of `open()` if the folder of the files is a link or not a folder.
  func requireFolder() throws {
    let parent = store.deletingLastPathComponent().path
    if FileKind(path: parent) == .folder { _ = try open() }
  }

  /// Opens the folder, creating it with the owner of the store if it does not exist.
  func makeFolder() throws -> FolderHandle {
    let rights = FileRights(ofFile: store.path)
    let parent = try FolderHandle(store.deletingLastPathComponent().path)
    // The entry of a new folder must be on the disk before a row refers to a file in it.
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

  /// The paths of the folder of the files and of its parent folder, without those that do not exist.
  var presentFolders: Set<String> {
    Set(
      [support.path, folder.path].filter { FileKind(path: $0, followingLinks: false) == .folder })
  }

  /// Removes the folder of the files and its parent folder if they are empty, except those that existed before an
  /// operation that failed.
  ///
  /// - Parameter before: The value of ``presentFolders`` before the operation.
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

  /// The content of the folder.
  struct Content {
    /// The value files, whose names are UUIDs.
    var files: [String] = []
    /// Files that a process left unfinished when it ended.
    var drafts: [String] = []
    /// Everything else: links, folders, other names. The store owns none of it.
    var foreignNames: [String] = []
  }

  /// Returns the content of the folder, in byte order; empty if it does not exist.
  func content() throws -> Content {
    var content = Content()
    guard let folder = try open() else { return content }
    for name in try folder.names() {
      // A save may have removed the file after the names were read.
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

  /// Returns whether a string is the name of a value file: a UUID.
  static func isName(_ text: String) -> Bool {
    text.utf8.count == 36 && UUID(uuidString: text) != nil
  }

  /// Returns whether a folder contains the file of a row, under the name in the row or the name's uppercase or
  /// lowercase form. `openFile` tries the same names.
  ///
  /// - Parameters:
  ///   - name: The name in the row.
  ///   - files: The names in the folder.
  static func isPresent(_ name: String, among files: Set<String>) -> Bool {
    files.contains(name) || otherSpellings(of: name).contains(where: files.contains)
  }

  private static func otherSpellings(of name: String) -> [String] {
    [name.uppercased(), name.lowercased()]
  }

  /// Returns the names of the files, in byte order; empty if the folder does not exist.
  func names() throws -> [String] {
    guard FileKind(path: store.deletingLastPathComponent().path) == .folder else { return [] }
    return try content().files
  }

  // MARK: Reading, writing and removing

  /// The maximum size of a value. A file in an untrusted store may have any size.
  private static let sizeLimit = 1 << 31

  /// Returns the content of a file.
  ///
  /// - Throws: An error with the path, if the file does not exist, is a link or another file that is not plain, cannot
  ///   be read, or is too large.
  func bytes(_ name: String) throws -> Data {
    let folder = try presentFolder(of: name)
    let (file, size) = try openValue(name, in: folder)
    return try Self.read(size, from: file, folder.path + "/" + name)
  }

  /// Opens the folder, which must exist.
  private func presentFolder(of name: String) throws -> FolderHandle {
    if let folder = try open() { return folder }
    errno = ENOENT
    throw FileErrors.failure("read", folder.path + "/" + name)
  }

  /// Opens a file for reading it as a value.
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

  /// Opens the file of a row, under the name in the row or else the name's uppercase or lowercase form. Apple's file
  /// systems usually ignore case, so programs there find the file under each of these names.
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

  /// Returns why a value file cannot be read; nil if it is readable, or does not exist.
  ///
  /// - Parameter folder: The folder of the files.
  func readError(of name: String, in folder: FolderHandle) -> String? {
    do {
      _ = try openValue(name, in: folder)
      return nil
    } catch {
      let isThere = ([name] + Self.otherSpellings(of: name)).contains { folder.kind($0) != nil }
      return isThere ? error.localizedDescription : nil
    }
  }

  /// Reads a number of bytes, or fewer if the file is shorter.
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

  /// Returns the size and the first bytes of a file.
  ///
  /// - Throws: The errors of `bytes`, except for a file that is too large.
  func beginning(_ name: String, _ count: Int) throws -> (size: Int, first: Data) {
    let folder = try presentFolder(of: name)
    let (file, size) = try openFile(name, in: folder)
    return (size, try Self.read(min(count, size), from: file, folder.path + "/" + name))
  }

  /// Writes a value file. When this method returns, the content is on the disk; the name is on the disk only after
  /// `synchronize()`.
  func write(_ data: Data, _ name: String) throws {
    let folder = try makeFolder()
    try folder.writeFile(name, rights: FileRights(ofFile: store.path)) { file in
      try data.withUnsafeBytes { try Self.write($0, to: file, folder.path + "/" + name) }
    }
  }

  /// Writes the entries of the folder to the disk.
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

  /// Copies the files that the other store lacks. When this method returns, their content and names are on the disk, so
  /// rows can refer to them.
  ///
  /// - Returns: The names of the copied files.
  /// - Throws: If a file cannot be copied. The files copied so far are removed.
  func copy(to other: ExternalFiles) throws -> [String] {
    let names = try names()
    if names.isEmpty { return [] }
    guard let source = try open() else { return [] }
    let target = try other.makeFolder()
    let rights = FileRights(ofFile: other.store.path)
    var copied: [String] = []
    do {
      // Files are never changed, so a file of the same name has the same content.
      for name in names where target.kind(name) == nil {
        let file: FileHandle
        do {
          file = try source.openFile(name)
        } catch {
          // A save has removed the file together with its row.
          if source.kind(name) == nil { continue }
          throw error
        }
        // Removes the draft of a process that ended while it copied.
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

  /// The number of bytes that are copied at once.
  private static let portion = 1 << 20

  /// Removes plain files one by one. Failures are logged and not thrown, because the remaining files do no harm.
  ///
  /// - Returns: The names of the files that could not be removed.
  @discardableResult func remove(_ names: [String]) -> [String] {
    if names.isEmpty { return [] }
    do {
      guard let folder = try open() else { return [] }
      return names.filter { name in
        do {
          try folder.removeFile(name)
          return false
        } catch {
          Log.storeError("an unused value file cannot be removed: \(error.localizedDescription)")
          return true
        }
      }
    } catch {
      Log.storeError(
        "\(names.count == 1 ? "an unused value file" : "\(names.count) unused value files") cannot be removed:"
          + " \(error.localizedDescription)")
      return names
    }
  }

  /// Removes all files, and their folders if nothing else is left in them.
  func removeAll() throws {
    let content = try content()
    remove(content.files + content.drafts)
    let parent = try FolderHandle(store.deletingLastPathComponent().path)
    guard let support = try parent.folder(support.lastPathComponent) else { return }
    guard support.removeEmptyFolder(folder.lastPathComponent),
      parent.removeEmptyFolder(self.support.lastPathComponent)
    else {
      return Log.storeNotice("\(support.path) is not removed: it still contains files")
    }
  }
}
