/// Reads and writes whole files. A file is written atomically: readers find either the old or the new content, even
/// after a crash.
enum WholeFile {
  /// - Parameters:
  ///   - url: The URL of the file. If it is a link, the link's target is written.
  ///   - original: The file that this one is a copy of. A new copy is not readable by more users than the original.
  /// - Throws: An error that describes what is wrong. The file is then unchanged.
  static func write(_ data: Data, to url: URL, copyOf original: URL? = nil) throws {
    // Renaming the new file would replace a link.
    let url = url.withoutLinks
    let temporary = url.deletingLastPathComponent()
      .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
    do {
      let rights = FileRights(ofFile: url.path)
      if let copied = original.flatMap({ FileRights(ofFile: $0.path) }), rights == nil {
        try copied.makeCopy(temporary.path)
      }
      // Other users must not be able to read the content before the file has its access rights.
      let file = open(
        temporary.path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, rights == nil ? 0o666 : 0o600)
      guard file >= 0 else { throw FileErrors.failure("write", temporary.path) }
      let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
      rights?.apply(to: file, temporary.path)
      try handle.write(contentsOf: data)
      // The content must be on the disk before the file gets its final name.
      try handle.synchronize()
      try handle.close()
      guard rename(temporary.path, url.path) == 0 else {
        throw CocoaError(
          .fileWriteUnknown,
          userInfo: [NSLocalizedDescriptionKey: String(cString: strerror(errno))])
      }
    } catch {
      if FileManager.default.fileExists(atPath: temporary.path) {
        do {
          try FileManager.default.removeItem(at: temporary)
        } catch {
          Log.storeError("\(temporary.path) cannot be removed: \(error.localizedDescription)")
        }
      }
      throw CoreDataError.make(
        NSPersistentStoreSaveError, "cannot write \(url.path): \(error.localizedDescription)",
        at: url.path, cause: error)
    }
  }

  /// Returns the content of a file, which must exist.
  static func read(_ url: URL) throws -> Data {
    guard try StoreLocation.requirePlainFile(url) else { throw StoreErrors.noSuchFile(url) }
    // The file may be an open SQLite store, whatever type the caller expects. Reading it directly would release its
    // locks.
    return try StoreKind.sqlite.bytes(of: url, limit: .max)
  }
}
