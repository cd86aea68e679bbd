/// Writes a file as a whole: whoever reads it, also after a crash, finds the old content or the new.
enum WholeFile {
  /// - Throws: an error that names the file; it is then as it was.
  ///
  /// - Parameter original: for a new file, that whose copy it is, and than which it is no more readable to others.
  static func write(_ data: Data, to url: URL, copyOf original: URL? = nil) throws {
    let temporary = url.deletingLastPathComponent()
      .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
    do {
      let rights = FileRights(ofFile: url.path)
      if let copied = original.flatMap({ FileRights(ofFile: $0.path) }), rights == nil {
        try copied.makeCopy(temporary.path)
      }
      // Nobody else may read what is written before the file has its rights.
      let file = open(
        temporary.path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, rights == nil ? 0o666 : 0o600)
      guard file >= 0 else { throw FileErrors.failure("write", temporary.path) }
      let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
      rights?.apply(to: file, temporary.path)
      try handle.write(contentsOf: data)
      // The new content is on the disk before its name is.
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
          Log.storeError("\(temporary.path) stays: \(error.localizedDescription)")
        }
      }
      throw CoreDataError.make(
        NSPersistentStoreSaveError, "cannot write \(url.path): \(error.localizedDescription)",
        at: url.path, cause: error)
    }
  }

  /// The bytes of a file that has to be there.
  static func read(_ url: URL) throws -> Data {
    guard try StoreLocation.requirePlainFile(url) else { throw StoreErrors.noSuchFile(url) }
    // It may be a SQLite store that is open, whatever it is taken for.
    return try StoreKind.sqlite.bytes(of: url, limit: .max)
  }
}
