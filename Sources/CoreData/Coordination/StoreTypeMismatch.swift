/// Detects that a file is a store of a different type than the requested one.
enum StoreTypeMismatch {
  /// The first bytes of the files of the library's store types.
  private static let beginnings = [
    (NSSQLiteStoreType, "SQLite format 3"), (NSXMLStoreType, "<?xml"),
    (NSBinaryStoreType, "bplist"),
  ]

  /// Runs `body`, which reads a file as a store of a type.
  ///
  /// - Throws: The error of `body`, or `NSPersistentStoreTypeMismatchError` if the file is a store of another type.
  static func find<Result>(
    _ type: String, _ url: URL?, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as NSError where error.code == NSFileReadCorruptFileError {
      // The file is examined only after `body` has failed, so this costs a valid store nothing.
      guard let url, let found = self.type(ofFileAt: url), found != type else { throw error }
      throw make(found, type, url)
    }
  }

  static func make(_ found: String, _ type: String, _ url: URL) -> NSError {
    CoreDataError.make(
      NSPersistentStoreTypeMismatchError,
      "the store \(url.path) is of type \"\(found)\", not \"\(type)\"", at: url.path)
  }

  /// Throws an error if a file does not begin like a store of a type, for example because a link leads to another file.
  /// Accepts a missing or empty file.
  static func requireBeginning(of type: String, _ url: URL) throws {
    guard try StoreLocation.requirePlainFile(url),
      let beginning = beginnings.first(where: { $0.0 == type })?.1
    else { return }
    let start = try StoreKind.sqlite.bytes(of: url, limit: 16)
    if start.isEmpty || start.starts(with: Data(beginning.utf8)) { return }
    throw StoreErrors.notAStore(url, "it does not begin like a store of type \(type)")
  }

  /// Returns the type of the store in a file; nil if it is not one of the library's types.
  static func type(ofFileAt url: URL) -> String? {
    guard let start = try? StoreKind.sqlite.bytes(of: url, limit: 16),
      let type = beginnings.first(where: { start.starts(with: Data($0.1.utf8)) })?.0,
      // Other XML files and property lists have the same first bytes.
      (try? NSPersistentStoreCoordinator.readMetadata(type, url, nil)) != nil
    else { return nil }
    return type
  }
}
