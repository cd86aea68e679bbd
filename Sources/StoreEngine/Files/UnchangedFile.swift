/// Detects changes to a store's file after its content was read and before a new file made from this content replaces
/// it. A changed file is not replaced, because the change would be lost.
package protocol UnchangedFile: AnyObject {
  /// Called when other connections can no longer write, or, for a file that is written as a whole, immediately before
  /// it is replaced.
  ///
  /// - Throws: If the file was changed or removed.
  func requireUnchanged() throws
  /// Returns the properties of the file that a copy must have, by pragma name.
  func fixedPragmas() throws -> [String: String]
  /// Stops observing the file.
  func close()
}

/// A file that is written as a whole.
package final class UnchangedPlainFile: UnchangedFile {
  private let url: URL
  private let stamp: FileStamp

  /// Records the state of a file.
  ///
  /// - Throws: If the file does not exist, or is not writable.
  package init(_ url: URL) throws {
    self.url = url
    stamp = try Self.stamp(url)
    // Replacing the file would succeed even if it is not writable.
    guard access(url.path, W_OK) == 0 else {
      throw CoreDataError.make(
        NSFileWriteNoPermissionError, "cannot replace \(url.path): it is not writable",
        at: url.path)
    }
  }

  private static func stamp(_ url: URL) throws -> FileStamp {
    guard let stamp = FileStamp(url.path) else { throw StoreErrors.noSuchFile(url) }
    return stamp
  }

  package func requireUnchanged() throws {
    if try Self.stamp(url) != stamp { throw StoreErrors.changed(url) }
  }

  package func fixedPragmas() throws -> [String: String] { [:] }

  package func close() {}
}
