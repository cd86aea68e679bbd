extension NSPropertyDescription {
  /// Whether stores have a place for the property's values.
  final var isStored: Bool {
    !isTransient && !(self is NSFetchedPropertyDescription)
  }

  /// Whether a row without a value for the property would break the model, and nothing gives it one.
  final var requiresValue: Bool {
    guard isStored, !isOptional else { return false }
    switch self {
    case is NSDerivedAttributeDescription: return false
    case let composite as NSCompositeAttributeDescription:
      return composite.elements.contains(where: \.requiresValue)
    case let attribute as NSAttributeDescription: return !attribute.hasDefault
    // A to-many relationship is empty, which saving finds wrong where it has a minimum.
    case let relationship as NSRelationshipDescription: return !relationship.isToMany
    default: return true
    }
  }
}

extension NSAttributeDescription {
  /// Whether new objects start with a value.
  final var hasDefault: Bool { defaultValue != nil || archivedDefaultValue != nil }
}
