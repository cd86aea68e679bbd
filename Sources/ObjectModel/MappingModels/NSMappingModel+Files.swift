extension NSMappingModel {
  /// Reads a mapping model: a compiled one (`.cdm`) or an Xcode source (`.xcmappingmodel`).
  ///
  /// Returns nil if the URL is nil or ``init(validating:)`` throws; use that initializer to get the reason.
  public convenience init?(contentsOf url: URL?) {
    guard let url else { return nil }
    try? self.init(validating: url)
  }

  /// Reads a mapping model like ``init(contentsOf:)-(URL?)``, and throws the reason if it fails.
  ///
  /// - Throws: An error of `NSCocoaErrorDomain` that identifies the file: 260 if it does not exist, 259 if it cannot be
  ///   read for any other reason.
  ///
  /// Compared to Apple's Core Data: new.
  ///
  /// ```swift
  /// let file = URL(fileURLWithPath: "ToVersion2.xcmappingmodel")
  /// let mapping = try NSMappingModel(validating: file)
  /// try mapping.write(to: URL(fileURLWithPath: "ToVersion2.cdm"))
  /// ```
  public convenience init(validating url: URL) throws {
    try self.init(validating: url, notice: { _ in })
  }

  /// Reads a mapping model like ``init(validating:)``.
  ///
  /// - Parameter notice: Called with a description of each irregularity that does not prevent using the file.
  package convenience init(validating url: URL, notice: (String) -> Void) throws {
    self.init(mappings: try MappingFile.read(url, notice: notice))
  }

  /// Creates a mapping model from entity mappings.
  package convenience init(mappings: [NSEntityMapping]) {
    self.init()
    entityMappings = mappings
  }

  /// Writes the mapping model in the format of Xcode's compiler (`.cdm`). The file is written beside its
  /// destination and then moved there.
  ///
  /// - Parameters:
  ///   - url: The destination, in an existing folder.
  ///   - replacingExisting: Whether to replace an existing file.
  /// - Throws: An error of `NSCocoaErrorDomain` that identifies the file: 516 if it exists and `replacingExisting` is
  ///   `false`, or if a folder exists there; 512 for a system error, or for an expression or user info that cannot be
  ///   archived, with its mapping and property.
  ///
  /// Compared to Apple's Core Data: new; the file format is Apple's.
  ///
  /// ```swift
  /// let mapping = try NSMappingModel.inferredMappingModel(
  ///   forSourceModel: model, destinationModel: model)
  /// try mapping.write(to: URL(fileURLWithPath: "Inferred.cdm"), replacingExisting: true)
  /// ```
  public final func write(to url: URL, replacingExisting: Bool = false) throws {
    try MappingFile.write(entityMappings ?? [], to: url, replacingExisting: replacingExisting)
  }
}
