/// What a change between two models asks of the migration of a store.
package enum MigrationNeed: Hashable, Sendable {
  /// Nothing: the version hashes stay the same, and a store opens as it is.
  case none
  /// A migration for which Core Data infers the mapping; the caveat says what becomes of the data
  /// where that is not obvious.
  case lightweight(MigrationCaveat?)
  /// A mapping model, since nothing says what becomes of the data.
  case mappingModel(MigrationObstacle)

  /// A migration that loses and changes nothing.
  package static let lightweight = Self.lightweight(nil)

  /// Whether a store has to be migrated.
  package var isNeeded: Bool { self != .none }

  /// The order of needs: 0 none, 1 lightweight, 2 a mapping model.
  package var weight: Int {
    switch self {
    case .none: 0
    case .lightweight: 1
    case .mappingModel: 2
    }
  }
}

/// What an inferred migration does to data, where that is not obvious from the change.
package enum MigrationCaveat: Hashable, Sendable {
  /// The rows of a removed entity go.
  case rowsAreDeleted
  /// The values of a removed property go.
  case valuesAreDeleted
  /// The values of a property go where the entity no longer has it.
  case valuesAreDeletedIn(entities: [String])
  /// The values of properties that are no longer inherited go.
  case inheritedValuesAreDeleted(properties: [String])
  /// Numbers are converted, and those that the new type does not hold are cut.
  case numbersAreConverted
  /// They are cut, and the migration fails if two that must differ become the same.
  case uniqueNumbersAreConverted
  /// Rows without a value get the default.
  case defaultIsFilledIn
  /// They do, and the migration fails if two of them must differ.
  case uniqueDefaultIsFilledIn
  /// Of several objects one stays.
  case oneMemberStays
  /// An object that is a member of several stays with one of them.
  case oneOwnerStays
  /// Members that are not of the new destination go.
  case othersAreDropped
  /// The members get an order that nothing decides.
  case orderIsArbitrary
  /// The migration fails if two rows have the same values.
  case valuesMustBeUnique([[String]])
  /// The migration fails if a row has no object.
  case objectsAreRequired
  /// Rows may break a limit, and then cannot be saved before they are mended.
  case rowsMayBreakLimits
  /// The store computes the values anew.
  case valuesAreComputed
  /// The author marks a change of meaning, which an inferred mapping does not carry out.
  case meaningIsUnchanged
  /// Only stores of that configuration are concerned.
  case storesOfConfigurationOnly
  /// What another caveat says, or nothing that is worth one, where no row needs an object that it loses by it: the
  /// migration fails where one of these relationships does.
  indirect case unlessRequired(MigrationCaveat?, by: [String])

  /// Whether the store may have less afterwards than before.
  package var losesData: Bool {
    switch self {
    case .rowsAreDeleted, .valuesAreDeleted, .valuesAreDeletedIn, .inheritedValuesAreDeleted,
      .numbersAreConverted, .uniqueNumbersAreConverted, .oneMemberStays, .oneOwnerStays,
      .othersAreDropped:
      true
    case .defaultIsFilledIn, .uniqueDefaultIsFilledIn, .orderIsArbitrary, .valuesMustBeUnique,
      .objectsAreRequired, .rowsMayBreakLimits, .valuesAreComputed, .meaningIsUnchanged,
      .storesOfConfigurationOnly:
      false
    case .unlessRequired(let caveat, _): caveat?.losesData ?? false
    }
  }
}

extension MigrationCaveat {
  /// A caveat of a change by which rows may lose the object of relationships.
  ///
  /// - Parameter relationships: those of the new model; only the ones that lead to one object and require it count.
  static func failing(
    _ caveat: MigrationCaveat?, whereRequired relationships: [NSRelationshipDescription?]
  ) -> MigrationCaveat? {
    let names = relationships.compactMap { relationship -> String? in
      guard let relationship, !relationship.isToMany, relationship.requiresValue else {
        return nil
      }
      return [relationship.owner?.name, relationship.name].compactMap { $0 }
        .joined(separator: ".")
    }
    return names.isEmpty ? caveat : .unlessRequired(caveat, by: names)
  }
}

/// Why no mapping can be inferred.
package enum MigrationObstacle: Hashable, Sendable {
  /// A required attribute has no default, and rows of these entities have no value for it.
  case valueMissing(entities: [String])
  /// A required relationship is new, and rows of these entities have no object for it.
  case objectMissing(entities: [String])
  /// Properties that become inherited are required, have no default, and rows have no value for them.
  case inheritedValuesMissing(properties: [String])
  /// An attribute's values cannot become values of the new type by themselves.
  case typesDiffer
  /// The property has become another kind of property.
  case kindsDiffer
  /// Entities of different hierarchies come under one root.
  case hierarchiesMerge(root: String)
  /// The entity has become abstract, and its rows have no entity any more.
  case rowsLoseTheirEntity
  /// The objects that the relationship leads to are not of the new destination.
  case destinationsDiffer
  /// The new inverse has members of its own, which may contradict these.
  case inverseHasOtherMembers
}
