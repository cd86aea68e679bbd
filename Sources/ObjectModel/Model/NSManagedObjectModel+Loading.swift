extension NSManagedObjectModel {
  /// Reads a model: a source model (`.xcdatamodeld`, `.xcdatamodel`), a compiled one (`.momd`, `.mom`), or one in this
  /// project's JSON format (`.json`).
  ///
  /// For a model with versions, the current version is read.
  ///
  /// Returns nil if ``init(validating:)`` throws; use that initializer to get the reason.
  ///
  /// Compared to Apple's Core Data: source models and JSON can be read too, so no compiler is needed.
  public convenience init?(contentsOf url: URL) {
    try? self.init(validating: url)
  }

  /// Reads a model like ``init(contentsOf:)-(URL)``, but throws an error if it fails.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` that identifies the file and, if the error concerns one, the entity
  ///   or property. Its code is 260 for a missing file, 256 for a system error, 259 for a file that is damaged or not a
  ///   model, and 134060 for an inconsistent model.
  ///
  /// ```swift
  /// do {
  ///   let contacts = try NSManagedObjectModel(
  ///     validating: URL(fileURLWithPath: "Contacts.xcdatamodeld"))
  ///   print(contacts.entities.count)
  /// } catch {
  ///   print(error.localizedDescription)
  /// }
  /// ```
  public convenience init(validating url: URL) throws {
    self.init()
    try ModelFile.read(url, into: self)
    stringsFileTexts = ModelStrings.texts(besideModelAt: url)
  }

  /// Reads a source model from the content of the `contents` file in an `.xcdatamodel`.
  ///
  /// - Throws: The errors of ``init(validating:)``.
  package convenience init(contents data: Data) throws {
    self.init()
    try ContentsReader.read(data, from: nil, into: self)
  }
}
