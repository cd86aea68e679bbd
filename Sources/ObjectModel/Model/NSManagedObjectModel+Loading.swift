extension NSManagedObjectModel {
  /// Reads a model: a source model (`.xcdatamodeld`, `.xcdatamodel`) or a compiled one (`.momd`,
  /// `.mom`).
  ///
  /// A model with versions is read in its current version.
  ///
  /// Returns nil where ``init(validating:)`` throws; use that to learn why.
  ///
  /// Compared to Apple's Core Data: source models are read as well, so that no compiler is needed.
  public convenience init?(contentsOf url: URL) {
    try? self.init(validating: url)
  }

  /// Reads a model as ``init(contentsOf:)`` does, and says what is wrong with it.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` that names the file, and the entity and property
  ///   where there is one: 260 for a missing file, 259 for a damaged one, 134060 for a model that
  ///   contradicts itself.
  public convenience init(validating url: URL) throws {
    self.init()
    try ModelFile.read(url, into: self)
    stringsFileTexts = ModelStrings.texts(besideModelAt: url)
  }

  /// Reads a source model's text, as an `.xcdatamodel` holds it in its `contents` file.
  ///
  /// - Throws: As ``init(validating:)``.
  package convenience init(contents data: Data) throws {
    self.init()
    try ContentsReader.read(data, from: nil, into: self)
  }
}
