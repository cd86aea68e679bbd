/// Compares descriptions for `isEqual`.
///
/// Two models from the same file are equal, and so are their entities, because programs load a model for
/// each stack, and compare descriptions from different stacks.
enum DescriptionEquality {
  static func areEqual(_ one: NSManagedObjectModel, _ other: Any?) -> Bool {
    guard let other = other as? NSManagedObjectModel else { return false }
    if one === other { return true }
    guard one.entities.count == other.entities.count else { return false }
    let others = other.entitiesByName
    guard one.entities.allSatisfy({ areEqual($0, others[$0.name ?? ""]) }) else { return false }
    // The entities are equal here, so the models can only differ in the parts outside them.
    return ModelChange.changes(ModelPairing(from: one, to: other)).isEmpty
  }

  static func areEqual(_ one: NSEntityDescription, _ other: Any?) -> Bool {
    guard let other = other as? NSEntityDescription else { return false }
    if one === other { return true }
    guard one.name == other.name, one.isAbstract == other.isAbstract,
      one.superentity?.name == other.superentity?.name,
      one.properties.count == other.properties.count, one.versionHash == other.versionHash,
      // The hash covers only what stores depend on; the facts are everything else.
      EntityFacts(old: one, new: other, renamed: [:]).differences().isEmpty
    else { return false }
    return one.properties.allSatisfy { areEqual($0, other.property(named: $0.name)) }
  }

  static func areEqual(_ one: NSPropertyDescription, _ other: Any?) -> Bool {
    guard let other = other as? NSPropertyDescription else { return false }
    if one === other { return true }
    return one.name == other.name && type(of: one) == type(of: other)
      && one.isTransient == other.isTransient
      // Compare the names of the owners, because comparing the owners would compare their
      // properties, and so on without end.
      && one.owner?.name == other.owner?.name && one.versionHash == other.versionHash
      && PropertyFacts(old: one, new: other).differences().isEmpty
  }
}
