import ObjectModel

extension NSEntityDescription {
  /// The entity and all below it.
  var family: [NSEntityDescription] { [self] + subentities.flatMap(\.family) }
}
