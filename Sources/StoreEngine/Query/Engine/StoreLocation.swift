/// The location of a store.
package enum StoreLocation: Equatable {
  case file(URL)
  /// In memory, with a name by which other coordinators can open the store; nil if they cannot.
  case memory(name: String?)
  /// On a server, with a connection string.
  case server(String)

  private static let memory = "/dev/null"

  /// Creates the location of a URL. A missing URL, `/dev/null` and `/dev/null/NAME` are locations in memory.
  package init(_ url: URL?) {
    guard let url else {
      self = .memory(name: nil)
      return
    }
    let path = url.path
    if path == Self.memory || path == Self.memory + "/" {
      self = .memory(name: nil)
    } else if path.hasPrefix(Self.memory + "/") {
      self = .memory(name: String(path.dropFirst(Self.memory.utf8.count + 1)))
    } else if !url.isFileURL, url.scheme != nil {
      // A URL without a scheme is a path.
      self = .server(url.absoluteString)
    } else {
      self = .file(url)
    }
  }

  package var isInMemory: Bool {
    if case .memory = self { true } else { false }
  }

  /// Whether only the coordinator that opens the store can use it.
  package var isNameless: Bool { self == .memory(name: nil) }

  /// The name of a named store in memory.
  package var memoryName: String? {
    if case .memory(let name) = self { name } else { nil }
  }

  /// The location with the URL of the file itself (`URL.withoutLinks`), which is equal for all paths that lead to the
  /// file through symbolic links.
  package var withoutLinks: StoreLocation {
    if case .file(let url) = self { .file(url.withoutLinks.standardizedFileURL) } else { self }
  }

  /// Throws an error if a store's file, or the file with a suffix next to it, exists but is not a plain file. A link to
  /// the store's file is followed, as SQLite does; a link at the name with the suffix is not.
  ///
  /// - Returns: Whether the file exists.
  @discardableResult
  package static func requirePlainFile(_ url: URL, _ suffix: String = "") throws -> Bool {
    guard let kind = FileKind(path: url.path + suffix, followingLinks: suffix.isEmpty) else {
      return false
    }
    // Opening a named pipe or a device could block forever.
    if kind == .plainFile { return true }
    if suffix.isEmpty { throw StoreErrors.notAStore(url, "it is \(kind.phrase)") }
    throw CoreDataError.make(
      NSFileReadCorruptFileError,
      "the store \(url.path) cannot be used: \(url.lastPathComponent)\(suffix) next to it is"
        + " \(kind.phrase), not a plain file", at: url.path + suffix)
  }

  /// Removes a file, but not a folder. A missing file is not an error.
  package static func removeFile(_ path: String) throws {
    guard unlink(path) == 0 || errno == ENOENT else { throw FileErrors.failure("remove", path) }
  }
}
