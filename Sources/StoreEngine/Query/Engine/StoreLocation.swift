/// Where a store is.
package enum StoreLocation: Equatable {
  case file(URL)
  /// In memory, under a name that other coordinators of this process open it by; nil where there is no other.
  case memory(name: String?)
  /// With a server, which a connection string names.
  case server(String)

  private static let memory = "/dev/null"

  /// The place that a program's URL means: none, `/dev/null` and `/dev/null/NAME` are in memory.
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
      self = .server(url.absoluteString)
    } else {
      self = .file(url)
    }
  }

  package var isInMemory: Bool {
    if case .memory = self { true } else { false }
  }

  /// Whether only the coordinator that opens the store has it.
  package var isNameless: Bool { self == .memory(name: nil) }

  /// The name of a store in memory that has one.
  package var memoryName: String? {
    if case .memory(let name) = self { name } else { nil }
  }

  /// Throws where a store's file, or one that belongs beside it, is something else than a plain file: a named pipe
  /// or a device could keep whoever opens it waiting forever. Links to a store's file are followed, as SQLite does;
  /// those beside it are not.
  ///
  /// - Returns: whether anything is at the place.
  @discardableResult
  package static func requirePlainFile(_ url: URL, _ suffix: String = "") throws -> Bool {
    guard let kind = FileKind(path: url.path + suffix, followingLinks: suffix.isEmpty) else {
      return false
    }
    if kind == .plainFile { return true }
    if suffix.isEmpty { throw StoreErrors.notAStore(url, "it is \(kind.phrase)") }
    throw CoreDataError.make(
      NSFileReadCorruptFileError,
      "the store \(url.path) cannot be used: \(url.lastPathComponent)\(suffix) beside it is"
        + " \(kind.phrase), not a plain file", at: url.path + suffix)
  }

  /// Removes a file, and never a folder; one that is gone already is no error.
  package static func removeFile(_ path: String) throws {
    guard unlink(path) == 0 || errno == ENOENT else { throw FileErrors.failure("remove", path) }
  }
}
