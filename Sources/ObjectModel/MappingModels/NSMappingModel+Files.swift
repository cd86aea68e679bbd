extension NSMappingModel {
  /// Reads a mapping model: a compiled one (`.cdm`), or one of Xcode's (`.xcmappingmodel`).
  ///
  /// Returns nil where ``init(validating:)`` throws, and for nil; use that to learn why.
  public convenience init?(contentsOf url: URL?) {
    guard let url else { return nil }
    try? self.init(validating: url)
  }

  /// Reads a mapping model as ``init(contentsOf:)`` does, and says what is wrong with it.
  ///
  /// - Throws: an error of `NSCocoaErrorDomain` that names the file: 260 for a missing one, 259 for a
  ///   damaged one.
  ///
  /// Compared to Apple's Core Data: new.
  public convenience init(validating url: URL) throws {
    try self.init(validating: url, notice: { _ in })
  }

  /// Reads a mapping model as ``init(validating:)`` does.
  ///
  /// - Parameter notice: is told what is unusual in the file and keeps nobody from using it.
  package convenience init(validating url: URL, notice: (String) -> Void) throws {
    self.init(mappings: try MappingFile.read(url, notice: notice))
  }

  /// Makes a mapping model of mappings.
  package convenience init(mappings: [NSEntityMapping]) {
    self.init()
    entityMappings = mappings
  }

  /// Writes the mapping model as Xcode's compiler does (`.cdm`): the file is put together beside its place
  /// and moved there.
  ///
  /// - Parameter replacingExisting: whether a file that is there is replaced.
  /// - Throws: an error of `NSCocoaErrorDomain` that names the file, and the mapping and property whose
  ///   expression or user info cannot be kept in a file.
  ///
  /// Compared to Apple's Core Data: new; the file is Apple's.
  public final func write(to url: URL, replacingExisting: Bool = false) throws {
    try MappingFile.write(entityMappings ?? [], to: url, replacingExisting: replacingExisting)
  }
}
