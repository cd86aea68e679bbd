extension NSEntityDescription {
  /// The direct subentities by name.
  public final var subentitiesByName: [String: NSEntityDescription] {
    Dictionary(
      subentities.compactMap { entity in entity.name.map { ($0, entity) } },
      uniquingKeysWith: { $1 })
  }

  /// Returns whether this entity is the given one or one of its descendants.
  ///
  /// ```swift
  /// let (animal, dog) = (NSEntityDescription(), NSEntityDescription())
  /// animal.subentities = [dog]
  /// print(dog.isKindOf(entity: animal), animal.isKindOf(entity: dog))  // true false
  /// ```
  public final func isKindOf(entity: NSEntityDescription) -> Bool {
    var current: NSEntityDescription? = self
    var steps = 0
    // As in `lineage`, the limit ends the walk if code made an entity its own ancestor.
    while let here = current, steps < Self.deepestHierarchy {
      if here === entity { return true }
      current = here.superentity
      steps += 1
    }
    return false
  }

  /// The entities from the root down to this one, inclusive. In a hierarchy that is too deep or circular, only this
  /// entity and its nearest ancestors; then the first entity in the array has a superentity.
  package final var lineage: [NSEntityDescription] {
    var result: [NSEntityDescription] = []
    var current: NSEntityDescription? = self
    // The limit ends the walk if code made an entity its own ancestor.
    while let here = current, result.count < Self.deepestHierarchy {
      result.append(here)
      current = here.superentity
    }
    return result.reversed()
  }

  /// The root of the hierarchy; the entity itself if it has no superentity. In a hierarchy that is too deep or
  /// circular, the first entity of ``lineage``.
  package final var rootEntity: NSEntityDescription {
    lineage.first ?? self
  }

  /// The maximum number of levels of a hierarchy. A store has one table for each hierarchy, and a SQLite table has at
  /// most 2,000 columns by default.
  static var deepestHierarchy: Int { 1000 }
}
