extension CoreDataError {
  /// Returns an error for a key that the entity lacks, with a similar key as a suggestion.
  package static func unknownKey(_ key: String, in layout: EntityLayout) -> NSError {
    let suggestion = NearestName.nearest(to: key, among: layout.slots.map(\.name))
    return badRequest(
      "keypath \(key) not found in entity \(layout.name)"
        + (suggestion.map { " (did you mean \"\($0)\"?)" } ?? ""))
  }

  /// Returns an error for an entity that the model lacks, with a similar one as a suggestion.
  ///
  /// A model with errors has no entities in use, so the model's error is returned instead.
  package static func unknownEntity(_ name: String, in model: ModelLayout) -> NSError {
    if let error = model.error { return error }
    let suggestion = NearestName.nearest(to: name, among: model.entities.map(\.name))
    return badRequest(
      "the model has no entity named \"\(name)\""
        + (suggestion.map { " (did you mean \"\($0)\"?)" } ?? ""))
  }
}
