/// Writes compiled models (`.mom`), which are keyed archives like those of Apple's model compiler.
enum CompiledModel {
  /// Returns the content of a compiled model's file.
  ///
  /// - Parameter url: The destination file, for error messages.
  /// - Throws: An `NSError` that identifies the entity and, if it concerns one, the property with a part that cannot be
  ///   archived: a default value, a user info, a predicate, an expression, or a property of an unknown class.
  static func data(of model: NSManagedObjectModel, for url: URL? = nil) throws -> Data {
    try ArchivedModelWriter.archive(model, as: .compiledModel, for: url).data()
  }
}
