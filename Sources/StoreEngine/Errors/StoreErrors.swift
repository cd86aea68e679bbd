/// Creates errors about the file of a store.
package enum StoreErrors {
  package static func noSuchFile(_ url: URL) -> NSError {
    CoreDataError.make(NSFileReadNoSuchFileError, "no such file: \(url.path)", at: url.path)
  }

  /// Returns an error for a file that was emptied while it was open.
  package static func emptied(_ url: URL, cause: (any Error)? = nil) -> NSError {
    CoreDataError.make(
      NSPersistentStoreIncompatibleSchemaError,
      "the store \(url.path) was destroyed while it was open: the file no longer contains Core Data's"
        + " tables", at: url.path, cause: cause)
  }

  /// Returns an error for a file that another connection changed between the reading of its content and its
  /// replacement.
  package static func changed(_ url: URL) -> NSError {
    CoreDataError.make(
      NSPersistentStoreSaveConflictsError,
      "another process or connection changed or moved the store \(url.path) in the meantime; it was not replaced",
      at: url.path)
  }

  /// Returns an error for a damaged file.
  package static func damaged(_ url: URL, _ detail: String, cause: (any Error)? = nil) -> NSError {
    CoreDataError.make(
      NSFileReadCorruptFileError, "the store \(url.path) is damaged: \(detail)",
      at: url.path, cause: cause)
  }

  /// Returns an error for a file that is not a store.
  package static func notAStore(_ url: URL, _ detail: String) -> NSError {
    CoreDataError.make(
      NSFileReadCorruptFileError, "\(url.path) is not a Core Data store: \(detail)", at: url.path)
  }
}
