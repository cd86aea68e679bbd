/// A store's file that is replaced by something made of its content: what somebody else saves in the meantime
/// would be lost, so it is noticed, and nothing is replaced.
package protocol UnchangedFile: AnyObject {
  /// Called when nobody else can write any more; for a file that is written as a whole, just before.
  ///
  /// - Throws: when somebody has written.
  func requireUnchanged() throws
  /// What a copy has to have as the file has it, by the names of pragmas.
  func fixedPragmas() throws -> [String: String]
  /// Ends what keeps an eye on the file.
  func close()
}

/// A file that is written as a whole.
package final class UnchangedPlainFile: UnchangedFile {
  private let url: URL
  private let stamp: FileStamp

  /// Notes how a file is now.
  ///
  /// - Throws: when it is not there, or may not be written.
  package init(_ url: URL) throws {
    self.url = url
    stamp = try Self.stamp(url)
    // Another file could take its place all the same.
    guard access(url.path, W_OK) == 0 else {
      throw CoreDataError.make(
        NSFileWriteNoPermissionError, "cannot replace \(url.path): it may not be written",
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
