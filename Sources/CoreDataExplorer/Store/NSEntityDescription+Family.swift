import ObjectModel

extension NSEntityDescription {
  /// The entity and all its descendants.
  var family: [NSEntityDescription] { [self] + subentities.flatMap(\.family) }
}
