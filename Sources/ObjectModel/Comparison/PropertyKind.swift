/// The kinds of properties that a model distinguishes.
package enum PropertyKind: String, Hashable, Sendable {
  /// A plain attribute.
  case attribute
  /// An attribute whose value the store computes.
  case derived = "derived attribute"
  /// An attribute that consists of named elements.
  case composite = "composite attribute"
  /// References to other objects.
  case relationship
  /// The result of a fetch.
  case fetched = "fetched property"
  /// Any other property.
  case other = "property"

  /// Creates the kind of a property.
  package init(_ property: NSPropertyDescription) {
    switch property {
    // The subclasses of `NSAttributeDescription` precede it.
    case is NSDerivedAttributeDescription: self = .derived
    case is NSCompositeAttributeDescription: self = .composite
    case is NSAttributeDescription: self = .attribute
    case is NSRelationshipDescription: self = .relationship
    case is NSFetchedPropertyDescription: self = .fetched
    default: self = .other
    }
  }

  /// Returns the consequence if a stored property becomes a stored property of another kind.
  func need(ofBecoming new: PropertyKind) -> MigrationNeed {
    switch (self, new) {
    case (.attribute, .derived): .lightweight(.valuesAreComputed)
    // The last computed value remains as a plain value.
    case (.derived, .attribute): .lightweight
    default: .mappingModel(.kindsDiffer)
    }
  }
}
