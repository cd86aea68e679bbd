extension MigrationCaveat {
  /// What becomes of the data, as a clause: `its rows are deleted`.
  package var text: String {
    switch self {
    case .rowsAreDeleted: "its rows are deleted"
    case .valuesAreDeleted: "its values are deleted"
    case .valuesAreDeletedIn(let entities): "its values are deleted in \(Self.list(entities))"
    case .inheritedValuesAreDeleted(let properties):
      "the values of \(Self.list(properties)) are deleted"
    case .numbersAreConverted: "numbers that the new type does not hold are cut"
    case .uniqueNumbersAreConverted:
      "numbers that the new type does not hold are cut, which fails where two become the same that must"
        + " differ"
    case .defaultIsFilledIn: "rows without a value get the default"
    case .uniqueDefaultIsFilledIn:
      "rows without a value get the default, which fails where two of them must differ"
    case .oneMemberStays: "of several objects one stays"
    case .oneOwnerStays:
      "an object can be a member of one only: of several it stays with one"
    case .othersAreDropped: "members that are not of the new destination are dropped"
    case .orderIsArbitrary: "nothing decides the order at first"
    case .valuesMustBeUnique(let groups):
      "fails where two rows have the same "
        + groups.map { $0.joined(separator: " and ") }.joined(separator: ", or the same ")
    case .objectsAreRequired: "fails where a row has no object"
    case .rowsMayBreakLimits: "rows beyond the limit cannot be saved before they are mended"
    case .valuesAreComputed: "the store computes the values"
    case .meaningIsUnchanged: "marks a change of meaning that no inferred mapping carries out"
    case .storesOfConfigurationOnly: "for stores of that configuration"
    case .unlessRequired(let caveat, let names):
      (caveat.map { $0.text + ", which " } ?? "")
        + "fails where a row loses the object that \(Self.list(names)) requires"
    }
  }

  static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension MigrationObstacle {
  /// Why no mapping can be inferred, as a clause.
  package var text: String {
    switch self {
    case .valueMissing(let entities):
      "a value is required, and rows of \(MigrationCaveat.list(entities)) have none"
    case .objectMissing(let entities):
      "an object is required, and rows of \(MigrationCaveat.list(entities)) have none"
    case .inheritedValuesMissing(let properties):
      "\(MigrationCaveat.list(properties)) require values, and rows have none"
    case .typesDiffer: "values of the old type are none of the new"
    case .kindsDiffer: "it has become another kind of property"
    case .hierarchiesMerge(let root):
      "entities of different hierarchies come under \(root), which no inferred mapping does"
    case .rowsLoseTheirEntity: "its rows have no entity any more"
    case .destinationsDiffer: "the objects it leads to are not of the new destination"
    case .inverseHasOtherMembers: "the new inverse has members of its own"
    }
  }

  /// What a mapping model must say, or what spares one, as a sentence without its end.
  package var advice: String {
    switch self {
    case .valueMissing:
      "give it a default value or make it optional, or say in a mapping model how the value is had"
    case .objectMissing:
      "make it optional, or say in a mapping model which objects it leads to"
    case .inheritedValuesMissing:
      "give them default values or make them optional, or say in a mapping model how they are had"
    case .typesDiffer:
      "convert the value in the property mapping, for example FUNCTION($entityPolicy, …, "
        + "$source.…), or keep the old attribute beside a new one"
    case .kindsDiffer:
      "give the new property another name, or say in a mapping model what its value comes from"
    case .hierarchiesMerge:
      "map each entity to its new self in a mapping model, which copies the rows"
    case .rowsLoseTheirEntity:
      "map its rows to an entity below it in a mapping model, or keep it concrete"
    case .destinationsDiffer:
      "give the new relationship another name, or say in a mapping model which objects it leads to"
    case .inverseHasOtherMembers:
      "say in a mapping model which of the two relationships is to be kept"
    }
  }
}
