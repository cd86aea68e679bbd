/// The consequence of a change between two models for the migration of a store.
package enum MigrationNeed: Hashable, Sendable {
  /// No migration: the version hashes stay the same, and a store opens unchanged.
  case none
  /// A migration with an inferred mapping. The caveat describes an effect on the data that is not
  /// obvious from the change.
  case lightweight(MigrationCaveat?)
  /// A migration that needs a mapping model, because the new data cannot be inferred.
  case mappingModel(MigrationObstacle)

  /// A lightweight migration without a caveat.
  package static let lightweight = Self.lightweight(nil)

  /// Whether a store must be migrated.
  package var isNeeded: Bool { self != .none }

  /// The rank of the need: 0 none, 1 lightweight, 2 a mapping model.
  package var weight: Int {
    switch self {
    case .none: 0
    case .lightweight: 1
    case .mappingModel: 2
    }
  }

  /// The rank of the need among several: by weight. Among lightweight ones, a loss of data ranks highest, then any
  /// other caveat, then none.
  var severity: Int {
    switch self {
    case .none: 0
    case .lightweight(nil): 1
    case .lightweight(let caveat?): caveat.losesData ? 3 : 2
    case .mappingModel: 4
    }
  }
}

/// An effect of an inferred migration on the data that is not obvious from the change.
package enum MigrationCaveat: Hashable, Sendable {
  /// The rows of a removed entity are deleted.
  case rowsAreDeleted
  /// The values of a removed property are deleted.
  case valuesAreDeleted
  /// The values of a property are deleted in the entities that no longer have it.
  case valuesAreDeletedIn(entities: [String])
  /// The values of properties that are no longer inherited are deleted.
  case inheritedValuesAreDeleted(properties: [String])
  /// Numbers are converted; numbers that the new type cannot hold are truncated.
  case numbersAreConverted
  /// Numbers are truncated, and the migration fails if values that must be unique become equal.
  case uniqueNumbersAreConverted
  /// Rows without a value get the default.
  case defaultIsFilledIn
  /// Rows without a value get the default, and the migration fails if the values must be unique.
  case uniqueDefaultIsFilledIn
  /// If a relationship has several members, only one of them is kept.
  case onlyOneMemberIsKept
  /// An object that is a member of several owners is kept by only one of them.
  case onlyOneOwnerIsKept
  /// Members that are not of the new destination entity are removed.
  case membersOfOtherEntitiesAreRemoved
  /// The members get an arbitrary order.
  case orderIsArbitrary
  /// The migration fails if two rows have the same values.
  case valuesMustBeUnique([[String]])
  /// A relationship becomes required, and the migration fails if a row has no object for it.
  case objectsAreRequired
  /// Rows may violate a limit. They must be corrected before they can be saved.
  case rowsMayBreakLimits
  /// The store computes the values.
  case valuesAreComputed
  /// A changed version hash modifier marks a change of meaning, which an inferred mapping ignores.
  case meaningIsUnchanged
  /// The change affects only stores that use the changed configuration.
  case storesOfConfigurationOnly
  /// The effect of another caveat, if there is one. In addition, the migration fails if a row loses an object that one
  /// of these relationships requires.
  indirect case unlessRequired(MigrationCaveat?, by: [String])

  /// Whether the migration may lose data.
  package var losesData: Bool {
    switch self {
    case .rowsAreDeleted, .valuesAreDeleted, .valuesAreDeletedIn, .inheritedValuesAreDeleted,
      .numbersAreConverted, .uniqueNumbersAreConverted, .onlyOneMemberIsKept, .onlyOneOwnerIsKept,
      .membersOfOtherEntitiesAreRemoved:
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
  /// Returns a caveat, extended by the required relationships whose objects the change may remove from rows. If the
  /// change removes such an object, the migration fails.
  ///
  /// - Parameter relationships: Relationships of the new model. Only required to-one relationships are used.
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

/// The reason why no mapping can be inferred.
package enum MigrationObstacle: Hashable, Sendable {
  /// A required attribute has no default that this program can read, and rows of these entities have no value for it.
  case valueMissing(entities: [String])
  /// A required relationship is new, and rows of these entities have no object for it.
  case objectMissing(entities: [String])
  /// Newly inherited properties are required and have no default, and rows have no value for them.
  case inheritedValuesMissing(properties: [String])
  /// An attribute's values cannot be converted to the new type automatically.
  case typesDiffer
  /// The property has become another kind of property.
  case kindsDiffer
  /// Entities of different hierarchies get a common root.
  case hierarchiesMerge(root: String)
  /// The entity became abstract, and its rows no longer have an entity.
  case rowsLoseTheirEntity
  /// The objects of the relationship are not of the new destination entity.
  case destinationsDiffer
  /// The new inverse already has members, which may contradict those of this relationship.
  case inverseHasOtherMembers
}
