extension CoreDataError {
  /// A key that the entity does not have, with the key that was probably meant.
  package static func unknownKey(_ key: String, in layout: EntityLayout) -> NSError {
    let suggestion = NearestName.nearest(to: key, among: layout.slots.map(\.name))
    return badRequest(
      "keypath \(key) not found in entity \(layout.name)"
        + (suggestion.map { " (did you mean \"\($0)\"?)" } ?? ""))
  }

  /// An entity that the model does not have, with the one that was probably meant.
  ///
  /// For a model with errors, which has no entities in use, those errors.
  package static func unknownEntity(_ name: String, in model: ModelLayout) -> NSError {
    if let fault = model.fault { return fault }
    let suggestion = NearestName.nearest(to: name, among: model.entities.map(\.name))
    return badRequest(
      "the model has no entity named \"\(name)\""
        + (suggestion.map { " (did you mean \"\($0)\"?)" } ?? ""))
  }
}
