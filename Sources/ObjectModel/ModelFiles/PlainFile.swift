/// Reads plain files only, because opening a named pipe or a device may block forever, and reading one may never end.
package enum PlainFile {
  /// The error for an item that is not a plain file.
  package struct Refusal: LocalizedError {
    package let path: String
    package let kind: FileKind

    package var errorDescription: String? { "\(path) is \(kind.phrase), not a plain file" }
  }

  /// The default maximum size of a file: SQLite's default limit for a value (`SQLITE_MAX_LENGTH`). A limit is needed
  /// because a sparse file can have any size without occupying the disk.
  package static let largestSize = 1_000_000_000

  /// Throws a ``Refusal`` if a path exists and does not lead to a plain file. Does not throw for a missing file,
  /// because opening it reports an error.
  package static func require(_ path: String) throws {
    guard let kind = FileKind(path: path), kind != .plainFile else { return }
    throw Refusal(path: path, kind: kind)
  }

  /// Returns the content of a plain file, following a symbolic link.
  ///
  /// Never blocks: the file is opened with `O_NONBLOCK`, and its kind is checked on the open file.
  ///
  /// - Parameter limit: The maximum size of the file in bytes.
  /// - Throws: A ``Refusal``; `CocoaError.fileReadTooLarge` for a larger file; or a system error.
  package static func read(_ url: URL, limit: Int = largestSize) throws -> Data {
    // Check first, because opening a socket or certain devices fails with an error that does not mention the kind.
    try require(url.path)
    // Pass `O_NOCTTY`, because opening a terminal must not make it the controlling one (open(2)).
    let file = UntimedFile.open(url.path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { throw failure(url) }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure(url) }
    // Check the open file again, because another item may have replaced the file since the first check.
    let kind = FileKind(mode: status.st_mode)
    guard kind == .plainFile else { throw Refusal(path: url.path, kind: kind) }
    guard Int(status.st_size) <= limit else { throw tooLarge(url, limit) }
    var data = Data(capacity: Int(status.st_size))
    // The file may grow while it is read.
    while let part = try handle.read(upToCount: portion), !part.isEmpty {
      guard part.count <= limit - data.count else { throw tooLarge(url, limit) }
      data.append(part)
    }
    return data
  }

  /// The number of bytes to read at a time.
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
