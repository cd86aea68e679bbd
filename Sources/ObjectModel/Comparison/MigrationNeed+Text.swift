extension MigrationCaveat {
  /// The effect on the data, as a clause: `its rows are deleted`.
  package var text: String {
    switch self {
    case .rowsAreDeleted: "its rows are deleted"
    case .valuesAreDeleted: "its values are deleted"
    case .valuesAreDeletedIn(let entities): "its values are deleted in \(Self.list(entities))"
    case .inheritedValuesAreDeleted(let properties):
      "the values of \(Self.list(properties)) are deleted"
    case .numbersAreConverted: "numbers that the new type cannot hold are truncated"
    case .uniqueNumbersAreConverted:
      "numbers that the new type cannot hold are truncated, which fails if values that must be unique"
        + " become equal"
    case .defaultIsFilledIn: "rows without a value get the default"
    case .uniqueDefaultIsFilledIn:
      "rows without a value get the default, which fails if the values must be unique"
    case .onlyOneMemberIsKept: "only one of several objects is kept"
    case .onlyOneOwnerIsKept:
      "an object can have only one owner: only one of several owners is kept"
    case .membersOfOtherEntitiesAreRemoved:
      "members that are not of the new destination entity are removed"
    case .orderIsArbitrary: "the initial order is arbitrary"
    case .valuesMustBeUnique(let groups):
      "fails if two rows have the same "
        + groups.map { $0.joined(separator: " and ") }.joined(separator: ", or the same ")
    case .objectsAreRequired: "fails if a row has no object"
    case .rowsMayBreakLimits:
      "objects with too few or too many members must be corrected before they can be saved"
    case .valuesAreComputed: "the store computes the values"
    case .meaningIsUnchanged: "it marks a change of meaning, which an inferred mapping ignores"
    case .storesOfConfigurationOnly: "only for stores that use the configuration"
    case .unlessRequired(let caveat, let names):
      (caveat.map { $0.text + ", which " } ?? "")
        + "fails if a row loses the object that \(Self.list(names)) requires"
    }
  }

  static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension MigrationObstacle {
  /// The reason why no mapping can be inferred, as a clause.
  package var text: String {
    switch self {
    case .valueMissing(let entities):
      "a value is required, and rows of \(MigrationCaveat.list(entities)) have none"
    case .objectMissing(let entities):
      "an object is required, and rows of \(MigrationCaveat.list(entities)) have none"
    case .inheritedValuesMissing(let properties):
      "\(MigrationCaveat.list(properties)) require values, and rows have none"
    case .typesDiffer: "values of the old type are not valid for the new type"
    case .kindsDiffer: "it becomes another kind of property"
    case .hierarchiesMerge(let root):
      "entities of different hierarchies get the common root \(root), which cannot be inferred"
    case .rowsLoseTheirEntity: "its rows no longer have an entity"
    case .destinationsDiffer: "its objects are not of the new destination entity"
    case .inverseHasOtherMembers: "the new inverse already has members"
    }
  }

  /// What the user can do, as a sentence without a full stop.
  package var advice: String {
    switch self {
    case .valueMissing:
      "give the attribute a default value, make it optional, or provide its value in a mapping model"
    case .objectMissing:
      "make the relationship optional, or provide its objects in a mapping model"
    case .inheritedValuesMissing:
      "give the properties default values, make them optional, or provide their values in a mapping model"
    case .typesDiffer:
      "convert the value in the property mapping, for example with FUNCTION($entityPolicy, …, "
        + "$source.…), or keep the old attribute beside a new one"
    case .kindsDiffer:
      "give the new property another name, or provide its value in a mapping model"
    case .hierarchiesMerge:
      "map each entity to its new version in a mapping model, which copies the rows"
    case .rowsLoseTheirEntity:
      "keep the entity concrete, or map its rows to one of its subentities in a mapping model"
    case .destinationsDiffer:
      "give the new relationship another name, or provide its objects in a mapping model"
    case .inverseHasOtherMembers:
      "choose in a mapping model which of the two relationships to keep"
    }
  }
}
