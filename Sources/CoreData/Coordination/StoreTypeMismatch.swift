/// Says of a file that is no store of the type that was asked for that it is one of another type.
enum StoreTypeMismatch {
  /// How the files of the types that come with this library begin.
  private static let beginnings = [
    (NSSQLiteStoreType, "SQLite format 3"), (NSXMLStoreType, "<?xml"),
    (NSBinaryStoreType, "bplist"),
  ]

  /// Runs `body`, which reads a file as a store of a type.
  ///
  /// - Throws: what `body` throws; `NSPersistentStoreTypeMismatchError` in its place where the file is
  ///   a store of another type.
  static func find<Result>(
    _ type: String, _ url: URL?, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as NSError where error.code == NSFileReadCorruptFileError {
      guard let url, let found = self.type(ofFileAt: url), found != type else { throw error }
      throw make(found, type, url)
    }
  }

  static func make(_ found: String, _ type: String, _ url: URL) -> NSError {
    CoreDataError.make(
      NSPersistentStoreTypeMismatchError,
      "the store \(url.path) is of type \"\(found)\", not \"\(type)\"", at: url.path)
  }

  /// Throws where a file with content does not begin as a store of a type does, and so is something else: a link may
  /// have led there. A file that is not there is none.
  static func requireBeginning(of type: String, _ url: URL) throws {
    guard try StoreLocation.requirePlainFile(url),
      let beginning = beginnings.first(where: { $0.0 == type })?.1
    else { return }
    let start = try StoreKind.sqlite.bytes(of: url, limit: 16)
    if start.isEmpty || start.starts(with: Data(beginning.utf8)) { return }
    throw StoreErrors.notAStore(url, "it does not begin as one of the type \(type)")
  }

  /// The type of the store in a file; nil when there is none of ours.
  static func type(ofFileAt url: URL) -> String? {
    guard let start = try? StoreKind.sqlite.bytes(of: url, limit: 16),
      let type = beginnings.first(where: { start.starts(with: Data($0.1.utf8)) })?.0,
      (try? NSPersistentStoreCoordinator.readMetadata(type, url, nil)) != nil
    else { return nil }
    return type
  }
}
