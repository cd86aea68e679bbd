/// Compares the positions of entities in their hierarchies.
struct HierarchyComparer {
  private let pairing: ModelPairing
  /// The roots of the old hierarchies that are joined under each new root.
  private let oldRoots: [ObjectIdentifier: Set<ObjectIdentifier>]

  private let formerRelationships: FormerRelationships

  init(pairing: ModelPairing, formerRelationships: FormerRelationships) {
    self.pairing = pairing
    self.formerRelationships = formerRelationships
    var roots: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]
    for pair in pairing.pairs {
      roots[ObjectIdentifier(pair.new.rootEntity), default: []]
        .insert(ObjectIdentifier(pair.old.rootEntity))
    }
    oldRoots = roots
  }

  /// Returns the consequence of a change of parent for a migration; nil if the parent is the same.
  func parentChange(
    _ old: NSEntityDescription, _ new: NSEntityDescription
  ) -> MigrationNeed? {
    guard !isSame(old.superentity, new.superentity) else { return nil }
    let root = new.rootEntity
    // Apple's article on lightweight migration: entities can be moved out of a hierarchy, and
    // parents and children can be created, but two entities that share no parent in the source
    // cannot share one in the destination.
    if oldRoots[ObjectIdentifier(root)]?.count ?? 0 > 1 {
      return .mappingModel(.hierarchiesMerge(root: root.name ?? ""))
    }
    guard let pair = pairing.pair(ofNew: new) else { return .lightweight }
    let missing = missingValues(pair)
    if !missing.isEmpty, !old.isAbstract {
      return .mappingModel(.inheritedValuesMissing(properties: missing))
    }
    let lost = lostValues(pair)
    return .lightweight(
      MigrationCaveat.failing(
        lost.isEmpty ? nil : .inheritedValuesAreDeleted(properties: lost),
        whereRequired: lostOwners(pair)))
  }

  /// Returns the relationships that could refer to the entity's rows in the old model and cannot in the new one.
  private func lostOwners(_ pair: ModelPairing.EntityPair) -> [NSRelationshipDescription] {
    formerRelationships.leading(to: pair.old).filter { relationship in
      relationship.destinationEntity.map { !pair.new.isKindOf(entity: $0) } ?? false
    }
  }

  private func isSame(_ old: NSEntityDescription?, _ new: NSEntityDescription?) -> Bool {
    guard let old, let new else { return old == nil && new == nil }
    if let successor = pairing.successor(of: old) { return successor === new }
    // An old parent that code created may be in neither model. Then only its name identifies it.
    return pairing.predecessor(of: new) == nil && old.name == new.name
  }

  /// Returns the required properties that the entity newly inherits from a parent that had them in the old model. The
  /// entity's own rows have no values for them.
  private func missingValues(_ pair: ModelPairing.EntityPair) -> [String] {
    pair.new.properties.filter { property in
      guard property.owner !== pair.new, property.requiresValue,
        pair.properties.oldByNew[ObjectIdentifier(property)] == nil,
        let owner = pairing.pair(ofNew: property.owner),
        let source = owner.properties.oldByNew[ObjectIdentifier(property)]
      else { return false }
      return source.owner === owner.old
    }.map(\.name).sorted { $0.isBefore($1) }
  }

  /// Returns the stored properties that the entity no longer inherits, although the entity that declares them still
  /// has them.
  private func lostValues(_ pair: ModelPairing.EntityPair) -> [String] {
    pair.old.properties.filter { property in
      guard property.owner !== pair.old, property.isStored,
        pair.properties.newByOld[ObjectIdentifier(property)] == nil,
        let owner = pairing.pair(ofNew: pairing.successor(of: property.owner))
      else { return false }
      return owner.properties.newByOld[ObjectIdentifier(property)] != nil
    }.map(\.name).sorted { $0.isBefore($1) }
  }
}
