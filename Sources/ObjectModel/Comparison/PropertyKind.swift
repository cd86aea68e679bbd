/// The kinds of properties that a model tells apart.
package enum PropertyKind: String, Hashable, Sendable {
  /// A value of its own.
  case attribute
  /// A value that the store computes.
  case derived = "derived attribute"
  /// Named elements.
  case composite = "composite attribute"
  /// Other objects.
  case relationship
  /// The result of a fetch.
  case fetched = "fetched property"
  /// None of these.
  case other = "property"

  /// The kind of a property.
  package init(_ property: NSPropertyDescription) {
    switch property {
    case is NSDerivedAttributeDescription: self = .derived
    case is NSCompositeAttributeDescription: self = .composite
    case is NSAttributeDescription: self = .attribute
    case is NSRelationshipDescription: self = .relationship
    case is NSFetchedPropertyDescription: self = .fetched
    default: self = .other
    }
  }

  /// What it asks of a migration that a stored property becomes a stored one of another kind.
  func need(ofBecoming new: PropertyKind) -> MigrationNeed {
    switch (self, new) {
    case (.attribute, .derived): .lightweight(.valuesAreComputed)
    // What was computed last stays as a plain value.
    case (.derived, .attribute): .lightweight
    default: .mappingModel(.kindsDiffer)
    }
  }
}
