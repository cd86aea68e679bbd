/// Writes compiled models (`.mom`): keyed archives like those of Apple's model compiler.
enum CompiledModel {
  /// The content of a compiled model's file.
  ///
  /// - Parameter url: The file to be written, for errors.
  /// - Throws: An `NSError` that names the entity and property whose default value, user info or
  ///   predicate cannot be kept in a file.
  static func data(of model: NSManagedObjectModel, for url: URL? = nil) throws -> Data {
    try ArchivedModelWriter.archive(model, as: .compiledModel, for: url).data()
  }
}
