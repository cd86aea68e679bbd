extension NSPersistentStoreCoordinator {
  /// Returns the names of the value files that rows of a SQLite store refer to and that do not exist next to it as
  /// plain files, in byte order. Reads every row, but no large values.
  ///
  /// - Throws: If the store, or the folder with its value files, cannot be read.
  package class func missingFiles(ofStoreAt url: URL) throws -> [String] {
    try StoreKind.sqlite.missingFiles(of: url.resolvingSymlinksInPath())
  }
}
