/// What is wrong with a store's file, in Core Data's terms, naming the file.
package enum StoreErrors {
  package static func noSuchFile(_ url: URL) -> NSError {
    CoreDataError.make(NSFileReadNoSuchFileError, "no such file: \(url.path)", at: url.path)
  }

  /// A file that was emptied under us.
  package static func emptied(_ url: URL, cause: (any Error)? = nil) -> NSError {
    CoreDataError.make(
      NSPersistentStoreIncompatibleSchemaError,
      "the store \(url.path) was destroyed while it was open: the file has no tables of Core Data any"
        + " more", at: url.path, cause: cause)
  }

  /// A file that another connection wrote to between the reading of its content and its replacement.
  package static func changed(_ url: URL) -> NSError {
    CoreDataError.make(
      NSPersistentStoreSaveConflictsError,
      "somebody else has changed or moved the store \(url.path) meanwhile; it stays as it is now",
      at: url.path)
  }

  /// A file that is not whole.
  package static func damaged(_ url: URL, _ detail: String, cause: (any Error)? = nil) -> NSError {
    CoreDataError.make(
      NSFileReadCorruptFileError, "the store \(url.path) is damaged: \(detail)",
      at: url.path, cause: cause)
  }

  /// A file that is something else.
  package static func notAStore(_ url: URL, _ detail: String) -> NSError {
    CoreDataError.make(
      NSFileReadCorruptFileError, "\(url.path) is not a Core Data store: \(detail)", at: url.path)
  }
}
