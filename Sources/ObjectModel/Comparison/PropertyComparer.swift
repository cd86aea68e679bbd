/// Compares a property of a new model with its old version.
struct PropertyComparer {
  let pairing: ModelPairing

  /// Returns the comparison for a removed property.
  func removal(of property: NSPropertyDescription) -> PropertyComparison {
    let need = property.isStored ? MigrationNeed.lightweight(.valuesAreDeleted) : .none
    return PropertyComparison(
      old: property, new: nil,
      changes: [PropertyChange(aspect: .removed, old: property, new: nil, migration: need)])
  }

  /// Returns the comparison for an added property.
  func addition(
    of property: NSPropertyDescription, to heirs: [ModelPairing.EntityPair]
  ) -> PropertyComparison {
    let need = Self.needOfValue(property, in: heirs)
    return PropertyComparison(
      old: nil, new: property,
      changes: [PropertyChange(aspect: .added, old: nil, new: property, migration: need)])
  }

  /// Returns the comparison for a property that exists in both models.
  ///
  /// - Parameters:
  ///   - heirs: The entities that have the property in the new model.
  ///   - isMoved: Whether a different entity declared it in the old model.
  func comparison(
    _ old: NSPropertyDescription, _ new: NSPropertyDescription,
    heirs: [ModelPairing.EntityPair], isMoved: Bool
  ) -> PropertyComparison {
    var changes: [PropertyChange] = []
    func note(_ aspect: PropertyAspect, _ migration: MigrationNeed) {
      changes.append(PropertyChange(aspect: aspect, old: old, new: new, migration: migration))
    }
    let isStored = old.isStored || new.isStored
    if old.name != new.name { note(.name, isStored ? .lightweight : .none) }
    if isMoved { note(.entity, isStored ? needOfMove(old, new, heirs) : .none) }
    for (aspect, need) in aspects(old, new, heirs) { note(aspect, need) }
    for aspect in PropertyFacts(old: old, new: new).differences() { note(aspect, .none) }
    return PropertyComparison(
      old: old, new: new,
      // Collected in several passes; reports list the aspects in the order of the enum.
      changes: changes.sorted { $0.aspect.rawValue < $1.aspect.rawValue })
  }

  /// Returns the consequence of a property for which rows have no value.
  private static func needOfValue(
    _ property: NSPropertyDescription, in heirs: [ModelPairing.EntityPair]
  ) -> MigrationNeed {
    guard property.isStored else { return .none }
    if property.requiresValue {
      // Only a row can lack the value, and an abstract entity has no rows of its own.
      let names = heirs.filter { !$0.old.isAbstract }.map { $0.new.name ?? "" }
        .sorted { $0.isBefore($1) }
      guard names.isEmpty else {
        return .mappingModel(
          property is NSRelationshipDescription
            ? .objectMissing(entities: names) : .valueMissing(entities: names))
      }
    }
    if property is NSDerivedAttributeDescription { return .lightweight(.valuesAreComputed) }
    guard let attribute = property as? NSAttributeDescription, attribute.defaultValue != nil else {
      return .lightweight
    }
    let isUnique = heirs.contains { $0.constrainedNames.contains(property.name) }
    return .lightweight(isUnique ? .uniqueDefaultIsFilledIn : .defaultIsFilledIn)
  }

  /// Returns the consequence of a property that becomes required.
  private func needOfRequiring(
    _ old: NSPropertyDescription, _ new: NSPropertyDescription, _ heirs: [ModelPairing.EntityPair]
  ) -> MigrationNeed {
    let need = Self.needOfValue(new, in: heirs)
    guard case .mappingModel(.objectMissing) = need,
      let relationship = new as? NSRelationshipDescription,
      !relationship.isToMany, old is NSRelationshipDescription
    else { return need }
    // All rows may have an object already; only the migration can find that out. Apple's Core Data
    // infers such mappings: Threema's database migrates from version 40 to 41 and from 49 to 50
    // this way.
    return .lightweight(.objectsAreRequired)
  }

  private func needOfMove(
    _ old: NSPropertyDescription, _ new: NSPropertyDescription, _ heirs: [ModelPairing.EntityPair]
  ) -> MigrationNeed {
    let without = heirs.filter { $0.properties.oldByNew[ObjectIdentifier(new)] == nil }
    let need = Self.needOfValue(new, in: without)
    if case .mappingModel = need { return need }
    guard let owner = old.owner else { return .lightweight }
    let losers = pairing.pairs(below: owner).filter { pair in
      !pair.old.isAbstract
        && pair.properties.newByOld[ObjectIdentifier(old)] == nil
    }.map { $0.new.name ?? "" }.sorted { $0.isBefore($1) }
    return .lightweight(losers.isEmpty ? nil : .valuesAreDeletedIn(entities: losers))
  }

  /// Returns the differences that version hashes include, except for the name and the declaring entity.
  private func aspects(
    _ old: NSPropertyDescription, _ new: NSPropertyDescription, _ heirs: [ModelPairing.EntityPair]
  ) -> [(PropertyAspect, MigrationNeed)] {
    var result: [(PropertyAspect, MigrationNeed)] = []
    let isStored = old.isStored && new.isStored
    // If only one of the two versions is stored, that decides the migration, and other differences need none.
    let arrival =
      new.isStored ? Self.needOfValue(new, in: heirs) : .lightweight(.valuesAreDeleted)
    if PropertyKind(old) != PropertyKind(new) {
      let need = PropertyKind(old).need(ofBecoming: PropertyKind(new))
      result.append((.kind, isStored ? need : old.isStored || new.isStored ? arrival : .none))
    } else if old.isTransient != new.isTransient {
      result.append((.transience, arrival))
    }
    // The version hash of a derived attribute includes only the expression.
    let isDerived = old is NSDerivedAttributeDescription && new is NSDerivedAttributeDescription
    let counts = isStored && !isDerived
    func note(_ aspect: PropertyAspect, _ need: MigrationNeed) {
      result.append((aspect, counts ? need : .none))
    }
    if old.isOptional != new.isOptional {
      note(.optionality, new.isOptional ? .lightweight : needOfRequiring(old, new, heirs))
    }
    if (old.versionHashModifier ?? "") != (new.versionHashModifier ?? "") {
      note(.versionHashModifier, .lightweight(.meaningIsUnchanged))
    }
    switch (old, new) {
    case (let old as NSAttributeDescription, let new as NSAttributeDescription):
      AttributeComparer(old: old, new: new, heirs: heirs).differences().forEach(note)
      if let one = old as? NSDerivedAttributeDescription,
        let other = new as? NSDerivedAttributeDescription, one.hashText != other.hashText
      {
        result.append((.derivation, isStored ? .lightweight(.valuesAreComputed) : .none))
      }
    case (let old as NSRelationshipDescription, let new as NSRelationshipDescription):
      RelationshipComparer(pairing: pairing, old: old, new: new).differences().forEach(note)
    default: break
    }
    return result
  }
}

extension NSDerivedAttributeDescription {
  /// The expression's text in the spelling that the version hash includes.
  final var hashText: String {
    DerivationExpression(text: derivationText ?? "").formatText
  }
}
