/// Writes files and folders beside their destination, and moves them there when they are complete. On Linux, replacing
/// an existing item is atomic if the file system can exchange two names.
enum WholeFiles {
  /// Writes a file.
  static func write(_ data: Data, to url: URL, replacingExisting: Bool) throws {
    try write(to: url, isFolder: false, replacingExisting: replacingExisting) { place in
      try save(data, to: place)
    }
  }

  /// Writes a new file, and returns when its data is on the disk. Throws if a file or a link exists.
  private static func save(_ data: Data, to file: URL) throws {
    try data.write(to: file, options: .withoutOverwriting)
    let handle = try FileHandle(forWritingTo: file)
    // Synchronize before the rename, because otherwise a crash could leave an empty file with the
    // new name.
    try handle.synchronize()
    try handle.close()
  }

  /// Writes a folder of files from their contents by path.
  ///
  /// Throws an error if the path of one of the files leads through a link or a file of the replaced folder.
  ///
  /// - Parameter stays: Returns whether to preserve a file of the replaced folder, by its path.
  static func write(
    folder files: [String: Data], to url: URL, replacingExisting: Bool,
    keeping stays: (String) -> Bool
  ) throws {
    try write(to: url, isFolder: true, replacingExisting: replacingExisting) { place in
      // Find these files before creating the folder, because this throws for files that cannot be
      // preserved.
      let preserved = try PreservedFiles(in: url, besides: Set(files.keys), where: stays)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      try preserved.copy(to: place)
      for (path, data) in files.sorted(by: { $0.key.isBefore($1.key) }) {
        let file = place.appendingPathComponent(path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try save(data, to: file)
      }
    }
  }

  private static func write(
    to url: URL, isFolder: Bool, replacingExisting: Bool, _ fill: (URL) throws -> Void
  ) throws {
    let manager = FileManager.default
    var isDirectory: ObjCBool = false
    let isThere = manager.fileExists(atPath: url.path, isDirectory: &isDirectory)
    guard !isThere || replacingExisting && isDirectory.boolValue == isFolder else {
      throw ModelFileError.exists(url)
    }
    // Write beside the destination, so that moving the draft there is only a rename.
    let draft = url.deletingLastPathComponent()
      .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
    // This removes the draft after an error. After an exchange it removes the old item, which then has the draft's
    // name.
    defer { try? manager.removeItem(at: draft) }
    do {
      try fill(draft)
      if isThere {
        try exchange(draft, url)
      } else {
        try manager.moveItem(at: draft, to: url)
      }
    } catch {
      throw ModelFileError.unwritable(url, error)
    }
  }

  /// Exchanges the names of two files or folders.
  ///
  /// Foundation's `replaceItemAt` fails on Linux and may delete the destination.
  private static func exchange(_ draft: URL, _ place: URL) throws {
    if exchangeAtOnce(draft.path, place.path) { return }
    // Without system support, use two renames. In between, the old item has only its backup name.
    let backup = draft.appendingPathExtension("old")
    try FileManager.default.moveItem(at: place, to: backup)
    do {
      try FileManager.default.moveItem(at: draft, to: place)
    } catch {
      // If this fails too, the old item keeps its backup name. Report the first error, which is the cause.
      try? FileManager.default.moveItem(at: backup, to: place)
      throw error
    }
    try? FileManager.default.removeItem(at: backup)
  }

  /// Exchanges two names atomically; returns false if the system does not support it.
  private static func exchangeAtOnce(_ one: String, _ other: String) -> Bool {
    #if os(Linux)
      typealias Rename =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
      // The C library has `renameat2`, but its Swift module does not declare it.
      guard let symbol = dlsym(nil, "renameat2") else { return false }
      // `RENAME_EXCHANGE`; see renameat2(2).
      let exchange: UInt32 = 2
      return unsafeBitCast(symbol, to: Rename.self)(AT_FDCWD, one, AT_FDCWD, other, exchange) == 0
    #else
      return false
    #endif
  }
}
