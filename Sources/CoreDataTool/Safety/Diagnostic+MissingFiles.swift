import CoreData
import StoreInspection

extension Diagnostic {
  /// The maximum number of files that are listed.
  private static let listedFiles = 20

  /// Returns an error that lists the value files that a copy of a store lacks, because they were missing beside the
  /// store or were not regular files. Returns nil if the copy has all files that its rows refer to.
  static func missingFiles(of copy: URL) throws -> Diagnostic? {
    let names = try reportingStoreErrors {
      try NSPersistentStoreCoordinator.missingFiles(ofStoreAt: copy)
    }
    if names.isEmpty { return nil }
    let files = CountText.counted(names.count, "file")
    let rest = names.count - listedFiles
    return Diagnostic(
      .data,
      "the copy lacks \(files) with values: \(names.count == 1 ? "it is" : "they are") missing beside the"
        + " store, or not \(names.count == 1 ? "a regular file" : "regular files")",
      details: names.prefix(listedFiles) + (rest > 0 ? ["and \(rest) more"] : []))
  }
}
