/// The identity of a file, independent of its path.
package struct FileNumber: Equatable {
  private let device: UInt64
  private let number: UInt64

  /// Creates the identity of the file at a path; nil if there is no file, or if its status cannot be read.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }

  /// Returns the number of names (hard links) of the file at a path; 0 if it is not a plain file.
  package static func nameCount(_ path: String) -> Int {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int(status.st_nlink)
  }

  /// Throws an error if a file has other names (hard links). Call it before replacing or emptying the file.
  ///
  /// - Parameter action: The intended operation on the file, as a verb.
  package static func requireOnlyName(_ url: URL, to action: String) throws {
    // The operation would change the store under all of its names, but its value files are next to
    // only one of them.
    let count = nameCount(url.path)
    if count < 2 { return }
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "cannot \(action) \(url.path): the file has \(count) names (hard links), and the store would be"
        + " lost under all of them; first delete this name, which keeps the file under its other names",
      at: url.path)
  }
}
