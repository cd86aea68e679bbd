import Foundation

/// Writes a file as a whole: whoever reads it, also after a crash, finds the old content or the new.
enum WholeFile {
  /// - Throws: an error that names the file; it is then as it was.
  static func write(_ data: Data, to url: URL) throws {
    let temporary = url.deletingLastPathComponent()
      .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
    do {
      try data.write(to: temporary)
      let handle = try FileHandle(forWritingTo: temporary)
      // The new content is on the disk before its name is.
      try handle.synchronize()
      try handle.close()
      let permissions = try? FileManager.default.attributesOfItem(atPath: url.path)[
        .posixPermissions]
      if let permissions {
        try FileManager.default.setAttributes(
          [.posixPermissions: permissions], ofItemAtPath: temporary.path)
      }
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
        NSPersistentStoreSaveError,
        "cannot write \(url.path): \(error.localizedDescription)",
        [NSFilePathErrorKey: url.path], cause: error)
    }
  }

  /// The bytes of a file that has to be there.
  static func read(_ url: URL) throws -> Data {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw SQLiteStore.noSuchFile(url)
    }
    if isFolder.boolValue { throw StoreErrors.notAStore(url, "it is a folder") }
    // It may be a SQLite store that is open, whatever it is taken for.
    return try StoreBytes.reading(url) { try $0.all() }
  }
}
