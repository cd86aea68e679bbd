/// The `VersionInfo.plist` of a compiled model with versions.
package struct VersionInfo: Sendable {
  /// The name of the current version, without `.mom`; nil if the file does not contain it.
  package var currentVersionName: String?
  /// The version hashes of the entities in each version.
  package var versionHashes: [String: [String: Data]]
  /// The checksum of each version; empty in older files.
  package var versionChecksums: [String: String]

  /// The file's name in the folder of a compiled model.
  static let fileName = "VersionInfo.plist"

  /// Creates the version info of a model.
  init(_ model: VersionedModel) {
    currentVersionName = model.currentVersionName
    versionHashes = [:]
    versionChecksums = [:]
    for version in model.versions {
      versionHashes[version.name] = version.model.entityVersionHashesByName
      versionChecksums[version.name] = version.model.versionChecksum
    }
  }

  /// Returns the content of the file.
  func data() -> Data {
    BinaryPropertyListWriter.write(
      .dictionary([
        "NSManagedObjectModel_CurrentVersionName": .string(currentVersionName ?? ""),
        "NSManagedObjectModel_VersionHashes": .dictionary(
          versionHashes.mapValues { .dictionary($0.mapValues { .data($0) }) }),
        "NSManagedObjectModel_VersionChecksums": .dictionary(
          versionChecksums.mapValues { .string($0) }),
      ]))
  }

  /// Reads the file.
  package init(contentsOf url: URL) throws {
    let data = try ModelFile.data(of: url)
    guard
      let table = try? CheckedPropertyList.read(data)
        as? [String: Any]
    else { throw ModelFileError.malformed(url, "it is not a property list.") }
    currentVersionName = table["NSManagedObjectModel_CurrentVersionName"] as? String
    versionHashes =
      table["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]] ?? [:]
    versionChecksums = table["NSManagedObjectModel_VersionChecksums"] as? [String: String] ?? [:]
  }
}
