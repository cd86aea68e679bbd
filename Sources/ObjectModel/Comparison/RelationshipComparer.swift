/// Compares the parts of two stored relationships that version hashes include.
struct RelationshipComparer {
  let pairing: ModelPairing
  let old: NSRelationshipDescription
  let new: NSRelationshipDescription

  func differences() -> [(PropertyAspect, MigrationNeed)] {
    var result: [(PropertyAspect, MigrationNeed)] = []
    if let need = destinationChange { result.append((.destination, need)) }
    if let need = inverseChange { result.append((.inverse, need)) }
    if old.isToMany != new.isToMany {
      let toMany: MigrationCaveat? =
        membersLoseOwners && leadsBackAsBefore ? .onlyOneOwnerIsKept : nil
      result.append((.cardinality, .lightweight(new.isToMany ? toMany : toOne)))
    } else if old.maxCount != new.maxCount || old.minCount != new.minCount {
      result.append((.counts, .lightweight(isLimited ? .rowsMayBreakLimits : nil)))
    }
    if old.isOrdered != new.isOrdered {
      result.append((.order, .lightweight(new.isOrdered ? .orderIsArbitrary : nil)))
    }
    return result
  }

  /// The caveat of a relationship that becomes to-one: members that are not kept lose the object of their inverse.
  private var toOne: MigrationCaveat? {
    MigrationCaveat.failing(.onlyOneMemberIsKept, whereRequired: [new.inverseRelationship])
  }

  /// Whether rows that were valid may have too few or too many members now.
  private var isLimited: Bool {
    // 0 means no limit, and so does the -1 of some models built in code.
    let before = old.maxCount <= 0 ? Int.max : old.maxCount
    let after = new.maxCount <= 0 ? Int.max : new.maxCount
    return after < before || new.minCount > old.minCount
  }

  /// Whether objects that could have several owners can now have only one.
  private var membersLoseOwners: Bool {
    // Without an inverse, the rows of a to-many relationship's members contain their owner.
    func canShare(_ relationship: NSRelationshipDescription) -> Bool {
      relationship.inverseRelationship?.isToMany ?? !relationship.isToMany
    }
    return canShare(old) && !canShare(new)
  }

  private var destinationChange: MigrationNeed? {
    guard let from = old.destinationEntity, let to = new.destinationEntity else {
      return old.destinationEntity == nil && new.destinationEntity == nil
        ? nil : .mappingModel(.destinationsDiffer)
    }
    guard let successor = pairing.successor(of: from) else {
      // Entities outside the models, which only code can create, are compared by name.
      let isSame = from.name == to.name && pairing.predecessor(of: to) == nil
      if isSame { return nil }
      return pairing.losesAllMembers(old, new)
        ? .lightweight(.valuesAreDeleted) : .mappingModel(.destinationsDiffer)
    }
    if successor === to { return nil }
    // All members are also objects of the new destination.
    if successor.isKindOf(entity: to) { return .lightweight }
    // The inverse was moved down the hierarchy, as Apple's article allows; this relationship is its other end.
    if to.isKindOf(entity: successor), leadsBackAsBefore {
      return .lightweight(
        MigrationCaveat.failing(.membersOfOtherEntitiesAreRemoved, whereRequired: [new]))
    }
    return .mappingModel(.destinationsDiffer)
  }

  private var leadsBackAsBefore: Bool {
    guard let inverse = old.inverseRelationship else { return new.inverseRelationship == nil }
    return pairing.sources(of: new.inverseRelationship).contains { $0 === inverse }
  }

  private var inverseChange: MigrationNeed? {
    if leadsBackAsBefore { return nil }
    let kept = MigrationNeed.lightweight(
      membersLoseOwners ? MigrationCaveat.failing(.onlyOneOwnerIsKept, whereRequired: [new]) : nil)
    guard let inverse = new.inverseRelationship, let before = old.inverseRelationship else {
      guard let inverse = new.inverseRelationship else { return kept }
      return hasMembers(inverse) ? .mappingModel(.inverseHasOtherMembers) : kept
    }
    // Inverses outside their models are compared by name.
    if before.name == inverse.name, !pairing.contains(before) || !pairing.contains(inverse) {
      return nil
    }
    return hasMembers(inverse) ? .mappingModel(.inverseHasOtherMembers) : kept
  }

  /// Returns whether a relationship of the new model was already a stored relationship in the old model.
  private func hasMembers(_ relationship: NSRelationshipDescription) -> Bool {
    pairing.sources(of: relationship).contains { $0 is NSRelationshipDescription && $0.isStored }
  }
}
