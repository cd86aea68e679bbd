extension NSEntityDescription {
  /// The entities directly below this one, by name.
  public final var subentitiesByName: [String: NSEntityDescription] {
    Dictionary(
      subentities.compactMap { entity in entity.name.map { ($0, entity) } },
      uniquingKeysWith: { $1 })
  }

  /// Whether this entity is the given one or stands below it.
  public final func isKindOf(entity: NSEntityDescription) -> Bool {
    var current: NSEntityDescription? = self
    var steps = 0
    while let here = current, steps < Self.deepestHierarchy {
      if here === entity { return true }
      current = here.superentity
      steps += 1
    }
    return false
  }

  /// The entities from the root down to this one, both included; in a hierarchy that is too deep, or circular, the
  /// nearest ones, of which the first has a superentity.
  package final var lineage: [NSEntityDescription] {
    var result: [NSEntityDescription] = []
    var current: NSEntityDescription? = self
    // The bound ends the walk where code has made an entity its own ancestor.
    while let here = current, result.count < Self.deepestHierarchy {
      result.append(here)
      current = here.superentity
    }
    return result.reversed()
  }

  /// The topmost entity above this one; itself for a root.
  package final var rootEntity: NSEntityDescription {
    lineage.first ?? self
  }

  /// The maximum number of levels of a hierarchy. A store has one table for a hierarchy, and a table of SQLite has at most
  /// 2,000 columns by default.
  static var deepestHierarchy: Int { 1000 }
}
