import CoreData
import StoreInspection

/// What a copy of a store lacks: values whose files were missing beside the store, or no plain files.
struct MissingFiles {
  /// How many files are listed.
  private static let shownCount = 20
  /// What is missing.
  let message: String
  /// The files.
  let details: [String]

  /// Nil where the copy has all files that its rows name.
  init?(of copy: URL) throws {
    let names = try reportingStoreErrors {
      try NSPersistentStoreCoordinator.missingFiles(ofStoreAt: copy)
    }
    if names.isEmpty { return nil }
    let files = CountText.counted(names.count, "file")
    message =
      "the copy lacks \(files) of values: \(names.count == 1 ? "it is" : "they are") missing beside the"
      + " store, or no plain \(names.count == 1 ? "file" : "files")"
    details =
      names.prefix(Self.shownCount).map { $0 }
      + (names.count > Self.shownCount ? ["and \(names.count - Self.shownCount) more"] : [])
  }
}
