import Digests

extension NSManagedObjectModel {
  /// The version hashes of the entities, 32 bytes each, by the entities' names.
  ///
  /// Cost: computed once, and cached until a description in the model changes.
  ///
  /// ```swift
  /// let version2 = model.copy() as? NSManagedObjectModel ?? model
  /// version2.entitiesByName["Team"]?.attributesByName["name"]?.isOptional = true
  /// let old = model.entityVersionHashesByName
  /// let changed = version2.entityVersionHashesByName.filter { old[$0.key] != $0.value }
  /// print(changed.keys.sorted())  // ["Team"]
  /// ```
  public final var entityVersionHashesByName: [String: Data] { versionHashes.byName }

  /// A string that identifies this version of the model: the SHA-256 of all entity hashes in base64.
  ///
  /// It is the `NSManagedObjectModel_VersionChecksums` entry of a compiled model and
  /// `NSStoreModelVersionChecksumKey` of a store's metadata.
  public final var versionChecksum: String {
    Self.checksum(of: entityVersionHashesByName)
  }

  /// The SHA-512 of all entity names and hashes in base64: `NSStoreModelVersionHashesDigest` of a store's metadata.
  package final var versionHashesDigest: String {
    Self.digest(of: entityVersionHashesByName)
  }

  /// Returns the checksums of all versions of a model by the versions' names.
  ///
  /// - Throws: The errors of ``VersionedModel/init(contentsOf:)``.
  ///
  /// ```swift
  /// let file = URL(fileURLWithPath: "Contacts.xcdatamodeld")
  /// for (version, checksum) in try NSManagedObjectModel.checksumsForVersionedModel(at: file) {
  ///   print(version, checksum)
  /// }
  /// ```
  public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
    var result: [String: String] = [:]
    for version in try VersionedModel(contentsOf: modelURL).versions {
      result[version.name] = version.model.versionChecksum
    }
    return result
  }

  /// Returns the checksum of a set of entity hashes, such as those of one configuration.
  package static func checksum(of hashes: [String: Data]) -> String {
    var bytes = Data()
    // Leave out the names, which only the digest includes, as in the files and stores that Apple's
    // Core Data writes.
    for (_, hash) in hashes.sorted(by: { $0.key.isBefore($1.key) }) { bytes.append(hash) }
    return Data(SHA2.sha256.digest(of: bytes)).base64EncodedString()
  }

  /// Returns the digest of a set of entity hashes, such as those of one configuration.
  package static func digest(of hashes: [String: Data]) -> String {
    var bytes = Data()
    for (name, hash) in hashes.sorted(by: { $0.key.isBefore($1.key) }) {
      bytes.append(contentsOf: name.utf8)
      bytes.append(hash)
    }
    return Data(SHA2.sha512.digest(of: bytes)).base64EncodedString()
  }
}
