/// What the system tells files apart by, whatever their paths are.
package struct FileNumber: Equatable {
  private let device: UInt64
  private let number: UInt64

  /// Of the file that a path leads to now; nil where there is none.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }

  /// How many names (hard links) the file that a path leads to has, in whatever folders; 0 where there is no plain file.
  package static func nameCount(_ path: String) -> Int {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int(status.st_nlink)
  }

  /// Throws where a file has other names: who writes another store into it, or empties it, would do that to the store
  /// under each of them, and its files of values would be beside one alone.
  ///
  /// - Parameter action: what is going to be done to the file, as a verb.
  package static func requireOnlyName(_ url: URL, to action: String) throws {
    let count = nameCount(url.path)
    if count < 2 { return }
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "cannot \(action) \(url.path): the file has \(count) names (hard links), and the store would be"
        + " lost under all of them; remove this name first, which leaves the others", at: url.path)
  }
}
