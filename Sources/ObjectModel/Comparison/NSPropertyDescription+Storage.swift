extension NSPropertyDescription {
  /// Whether stores keep the property's values.
  final var isStored: Bool {
    !isTransient && !(self is NSFetchedPropertyDescription)
  }

  /// Whether a row without a value for the property would violate the model and gets no value automatically.
  final var requiresValue: Bool {
    guard isStored, !isOptional else { return false }
    switch self {
    case is NSDerivedAttributeDescription: return false
    case let composite as NSCompositeAttributeDescription:
      return composite.elements.contains(where: \.requiresValue)
    // An archived default value whose class this program does not know cannot be stored in rows.
    case let attribute as NSAttributeDescription: return attribute.defaultValue == nil
    // A to-many relationship without objects is valid unless it has a minimum. Apple's Core Data infers such
    // mappings: wire-ios-data-model tests migrations from version 1.25.
    case let relationship as NSRelationshipDescription:
      return !relationship.isToMany || relationship.minCount > 0
    default: return true
    }
  }
}
