extension NSPersistentStoreCoordinator {
  /// Returns the names, in byte order, of the value files that rows of a SQLite store refer to but that are missing
  /// next to the store or are not plain files. Reads every row, but no large values.
  ///
  /// - Throws: If the store, or the folder with its value files, cannot be read.
  package class func missingFiles(ofStoreAt url: URL) throws -> [String] {
    try StoreKind.sqlite.missingFiles(of: url)
  }
}
