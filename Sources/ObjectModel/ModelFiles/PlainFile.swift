/// Reads plain files, and nothing else: opening a named pipe or a device may wait forever, and reading one may
/// never end.
package enum PlainFile {
  /// What is at a path is not a plain file.
  package struct Refusal: LocalizedError {
    package let path: String
    package let kind: FileKind

    package var errorDescription: String? { "\(path) is \(kind.phrase), not a plain file" }
  }

  /// The default of the maximum size of a file: as many bytes as SQLite stores in a value by default
  /// (`SQLITE_MAX_LENGTH`). A sparse file can have any size without occupying the disk.
  package static let largestSize = 1_000_000_000

  /// Throws a ``Refusal`` where a path leads to something else than a plain file. A path that leads nowhere is
  /// left to whoever opens it.
  package static func require(_ path: String) throws {
    guard let kind = FileKind(path: path), kind != .plainFile else { return }
    throw Refusal(path: path, kind: kind)
  }

  /// Returns the bytes of a plain file; a symbolic link to one is followed.
  ///
  /// Never waits: what is at the path is opened without blocking, and its kind is checked on the open file.
  ///
  /// - Parameter limit: the most bytes that a file may have.
  /// - Throws: a ``Refusal``; `CocoaError.fileReadTooLarge` for a file with more bytes; or an error of the system.
  package static func read(_ url: URL, limit: Int = largestSize) throws -> Data {
    // A socket and some devices cannot be opened at all, and the system's reason would not say why.
    try require(url.path)
    let file = UntimedFile.open(url.path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { throw failure(url) }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure(url) }
    let kind = FileKind(mode: status.st_mode)
    guard kind == .plainFile else { throw Refusal(path: url.path, kind: kind) }
    guard Int(status.st_size) <= limit else { throw tooLarge(url, limit) }
    var data = Data(capacity: Int(status.st_size))
    // It may grow meanwhile.
    while let part = try handle.read(upToCount: portion), !part.isEmpty {
      guard part.count <= limit - data.count else { throw tooLarge(url, limit) }
      data.append(part)
    }
    return data
  }

  /// How many bytes are read at once.
  private static let portion = 1 << 20

  private static func tooLarge(_ url: URL, _ limit: Int) -> any Error {
    CocoaError(
      .fileReadTooLarge,
      userInfo: [
        NSFilePathErrorKey: url.path,
        NSLocalizedDescriptionKey: "\(url.path) has more than \(limit) bytes",
      ])
  }

  private static func failure(_ url: URL) -> any Error {
    let number = errno
    let code: CocoaError.Code =
      switch number {
      case ENOENT: .fileReadNoSuchFile
      case EACCES, EPERM: .fileReadNoPermission
      default: .fileReadUnknown
      }
    return CocoaError(
      code,
      userInfo: [
        NSFilePathErrorKey: url.path, NSLocalizedDescriptionKey: String(cString: strerror(number)),
      ])
  }
}
