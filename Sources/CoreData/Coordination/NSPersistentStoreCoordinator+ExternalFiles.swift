extension NSPersistentStoreCoordinator {
  /// Returns the names of the files that rows of a SQLite store name for their values and that are not beside it as
  /// plain files, in byte order. Every row is read, without large values.
  ///
  /// - Throws: where the store cannot be read, or the folder of its values is none.
  package class func missingFiles(ofStoreAt url: URL) throws -> [String] {
    try StoreKind.sqlite.missingFiles(of: url.resolvingSymlinksInPath())
  }
}
