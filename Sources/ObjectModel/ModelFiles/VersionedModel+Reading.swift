extension VersionedModel {
  /// Reads a model with all its versions, in any format that ``NSManagedObjectModel/init(validating:)`` reads.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` that identifies the file and, if the error concerns one, the entity
  ///   or property. Its code is 260 for a missing file, 256 for a system error, 259 for a file that is damaged or not a
  ///   model, and 134060 for an inconsistent version.
  ///
  /// ```swift
  /// let contacts = try VersionedModel(contentsOf: URL(fileURLWithPath: "Contacts.xcdatamodeld"))
  /// for version in contacts.versions { print(version.name, version.model.versionChecksum) }
  /// print(contacts.currentModel.entities.count)
  /// ```
  public init(contentsOf url: URL) throws {
    if let versions = try ModelFile.jsonVersions(url) {
      self = versions
      return
    }
    let list = try ModelFile.versionList(of: url)
    let versions = try list.versions.map { version in
      Version(name: version.name, model: try NSManagedObjectModel(validating: version.url))
    }
    try self.init(versions: versions, currentVersionName: list.statedCurrent)
  }
}
