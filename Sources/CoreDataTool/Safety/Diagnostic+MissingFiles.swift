import CoreData
import StoreInspection

extension Diagnostic {
  /// How many files are listed.
  private static let listedFiles = 20

  /// What a copy of a store lacks: values whose files were missing beside the store, or no plain files. Nil where the copy
  /// has all files that its rows name.
  static func missingFiles(of copy: URL) throws -> Diagnostic? {
    let names = try reportingStoreErrors {
      try NSPersistentStoreCoordinator.missingFiles(ofStoreAt: copy)
    }
    if names.isEmpty { return nil }
    let files = CountText.counted(names.count, "file")
    let rest = names.count - listedFiles
    return Diagnostic(
      .data,
      "the copy lacks \(files) of values: \(names.count == 1 ? "it is" : "they are") missing beside the"
        + " store, or no plain \(names.count == 1 ? "file" : "files")",
      details: names.prefix(listedFiles) + (rest > 0 ? ["and \(rest) more"] : []))
  }
}
