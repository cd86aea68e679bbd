/// Compares the entities of two models, and reports each change at the entity that declares it.
struct EntityComparer {
  private let pairing: ModelPairing
  private let properties: PropertyComparer
  private let hierarchies: HierarchyComparer
  private let formerRelationships: FormerRelationships

  init(pairing: ModelPairing) {
    self.pairing = pairing
    properties = PropertyComparer(pairing: pairing)
    let formerRelationships = FormerRelationships(pairing)
    self.formerRelationships = formerRelationships
    hierarchies = HierarchyComparer(pairing: pairing, formerRelationships: formerRelationships)
  }

  func comparisons() -> [EntityComparison] {
    let kept = pairing.new.entities.map { entity in
      comparison(pairing.predecessor(of: entity), entity)
    }
    let removed = pairing.old.entities.filter { pairing.successor(of: $0) == nil }
      .map { comparison($0, nil) }
    // The sort is stable: of two entities with the same name, the removed one comes first.
    return (removed + kept).sorted { $0.name.isBefore($1.name) }
  }

  private func comparison(
    _ old: NSEntityDescription?, _ new: NSEntityDescription?
  ) -> EntityComparison {
    var found: [PropertyComparison] = []
    if let old { found += removedProperties(of: old) }
    if let new { found += declaredProperties(of: new) }
    var sources: [(new: NSPropertyDescription, old: NSPropertyDescription?)] = []
    if let pair = pairing.pair(ofNew: new) {
      sources = pair.new.properties.map { property in
        let source = pair.properties.oldByNew[ObjectIdentifier(property)]
        // If all members are deleted, their keys are not copied, because other rows may reuse them.
        let isLost = source.map { pairing.losesAllMembers($0, property) } ?? false
        return (new: property, old: isLost ? nil : source)
      }
    }
    return EntityComparison(
      old: old, new: new, changes: changes(old, new),
      properties: found.sorted { $0.name.isBefore($1.name) }, sources: sources)
  }

  private func changes(
    _ old: NSEntityDescription?, _ new: NSEntityDescription?
  ) -> [EntityChange] {
    func change(_ aspect: EntityAspect, _ migration: MigrationNeed) -> EntityChange {
      EntityChange(aspect: aspect, old: old, new: new, migration: migration)
    }
    guard let old else { return [change(.added, .lightweight)] }
    guard let new else {
      let caveat = MigrationCaveat.failing(
        .rowsAreDeleted, whereRequired: formerRelationships.leading(to: old))
      // An abstract entity has no rows of its own that could be deleted.
      return [change(.removed, .lightweight(old.isAbstract ? nil : caveat))]
    }
    var result: [EntityChange] = []
    if (old.name ?? "") != (new.name ?? "") { result.append(change(.name, .lightweight)) }
    if let need = hierarchies.parentChange(old, new) { result.append(change(.parent, need)) }
    if old.isAbstract != new.isAbstract {
      result.append(
        change(
          .abstractness, new.isAbstract ? .mappingModel(.rowsLoseTheirEntity) : .lightweight))
    }
    if let need = constraintsChange(old, new) { result.append(change(.constraints, need)) }
    if (old.versionHashModifier ?? "") != (new.versionHashModifier ?? "") {
      result.append(change(.versionHashModifier, .lightweight(.meaningIsUnchanged)))
    }
    let facts = EntityFacts(old: old, new: new, renamed: renamedProperties(old, new))
    // Built once, because a search for each change would be quadratic in the number of indexes.
    let indexes = (old: Self.indexesByName(of: old), new: Self.indexesByName(of: new))
    return result
      + facts.differences().map { aspect -> EntityChange in
        var noted = change(aspect, .none)
        if case .index(let name) = aspect {
          noted.oldIndex = indexes.old[name]
          noted.newIndex = indexes.new[name]
        }
        return noted
      }
  }

  /// Returns the fetch indexes by name. Of several indexes with the same name, the last one counts.
  private static func indexesByName(
    of entity: NSEntityDescription
  ) -> [String: NSFetchIndexDescription] {
    Dictionary(entity.indexes.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// Returns the new names of the old entity's renamed properties.
  private func renamedProperties(
    _ old: NSEntityDescription, _ new: NSEntityDescription
  ) -> [String: String] {
    guard let pair = pairing.pair(ofNew: new) else { return [:] }
    var result: [String: String] = [:]
    for property in old.properties {
      let twin = pair.properties.newByOld[ObjectIdentifier(property)]
      if let twin, twin.name != property.name { result[property.name] = twin.name }
    }
    return result
  }

  private func constraintsChange(
    _ old: NSEntityDescription, _ new: NSEntityDescription
  ) -> MigrationNeed? {
    let renamed = renamedProperties(old, new)
    let before = old.uniquenessConstraintNames.map { $0.map { renamed[$0] ?? $0 } }
    let after = new.uniquenessConstraintNames
    // Version hashes include constraints in this form: names in declared order, and the constraints
    // sorted.
    func key(_ constraint: [String]) -> String { constraint.joined(separator: ".") }
    let keys = (before: before.map(key).sorted(), after: after.map(key).sorted())
    guard keys.before != keys.after else { return nil }
    // A constraint with the same attributes in another order is not a new requirement.
    let held = Set(before.map(Set.init))
    let added = after.filter { !held.contains(Set($0)) }
    return .lightweight(added.isEmpty ? nil : .valuesMustBeUnique(added))
  }

  // MARK: Properties

  /// Returns the effective properties. Only code can create several with the same name; of these, the last one counts.
  private func declared(by entity: NSEntityDescription) -> [NSPropertyDescription] {
    entity.ownProperties.filter { entity.property(named: $0.name) === $0 }
  }

  /// Returns the comparisons of properties that the entity declared and that no corresponding new entity has.
  private func removedProperties(of entity: NSEntityDescription) -> [PropertyComparison] {
    let survivors = pairing.pairs(below: entity)
    // No rows survive, so the removal of the entity is the only change to report.
    guard !survivors.isEmpty else { return [] }
    return declared(by: entity).filter { property in
      survivors.allSatisfy { $0.properties.newByOld[ObjectIdentifier(property)] == nil }
    }.map { properties.removal(of: $0) }
  }

  /// Returns the comparisons of properties that a new entity declares.
  private func declaredProperties(of entity: NSEntityDescription) -> [PropertyComparison] {
    let heirs = pairing.pairs(below: entity)
    // There are no old rows, so the addition of the entity is the only change to report.
    guard !heirs.isEmpty else { return [] }
    return declared(by: entity).flatMap { property -> [PropertyComparison] in
      let sources = pairing.sources(of: property)
      guard !sources.isEmpty else { return [properties.addition(of: property, to: heirs)] }
      return sources.map { source in
        let isMoved = pairing.successor(of: source.owner) !== entity
        return properties.comparison(source, property, heirs: heirs, isMoved: isMoved)
      }.filter { !$0.changes.isEmpty }
    }
  }
}
