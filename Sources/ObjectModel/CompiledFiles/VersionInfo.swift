package import Foundation

/// The `VersionInfo.plist` of a compiled model with versions.
package struct VersionInfo: Sendable {
  /// The name of the current version, without `.mom`; nil where the file does not say.
  package var currentVersionName: String?
  /// The entities' version hashes of each version.
  package var versionHashes: [String: [String: Data]]
  /// The checksum of each version; empty in older files.
  package var versionChecksums: [String: String]

  /// Reads the file.
  package init(contentsOf url: URL) throws {
    let data = try ModelFile.data(of: url)
    guard
      let table = try? PropertyListSerialization.propertyList(from: data, format: nil)
        as? [String: Any]
    else { throw ModelFileError.malformed(url, "it is no property list.") }
    currentVersionName = table["NSManagedObjectModel_CurrentVersionName"] as? String
    versionHashes =
      table["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]] ?? [:]
    versionChecksums = table["NSManagedObjectModel_VersionChecksums"] as? [String: String] ?? [:]
  }
}
