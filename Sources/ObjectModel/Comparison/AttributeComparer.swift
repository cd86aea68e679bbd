/// Compares what version hashes say of two stored attributes.
struct AttributeComparer {
  let old: NSAttributeDescription
  let new: NSAttributeDescription
  let heirs: [ModelPairing.EntityPair]

  func differences() -> [(PropertyAspect, MigrationNeed)] {
    var result: [(PropertyAspect, MigrationNeed)] = []
    if old.attributeType != new.attributeType {
      // A value that is computed anew has no old type.
      result.append((.type, new is NSDerivedAttributeDescription ? .lightweight : typeChange))
    }
    // Apple's article says nothing of these two. Values stay what they are wherever they are kept.
    if old.allowsExternalBinaryDataStorage != new.allowsExternalBinaryDataStorage {
      result.append((.externalStorage, .lightweight))
    }
    if old.preservesValueInHistoryOnDeletion != new.preservesValueInHistoryOnDeletion {
      result.append((.historyPreservation, .lightweight))
    }
    if let old = old as? NSCompositeAttributeDescription,
      let new = new as? NSCompositeAttributeDescription
    {
      let needs = ElementsComparison(old, new, heirs: heirs).changes.map(\.migration)
      if let need = needs.max(by: { $0.weight < $1.weight }) { result.append((.elements, need)) }
    }
    return result
  }

  /// WWDC 2010, session 118, names numerical type conversion among the changes that are inferred; a
  /// released application's Boolean became an Integer 32 by it (wire-ios-data-model, versions 2.53 and 2.54).
  /// Other types are not in any list of Apple's.
  private var typeChange: MigrationNeed {
    guard let from = old.attributeType.numericRank, let to = new.attributeType.numericRank else {
      return .mappingModel(.typesDiffer)
    }
    if from.isHeld(by: to) { return .lightweight }
    let isUnique = heirs.contains { $0.constrainedNames.contains(new.name) }
    return .lightweight(isUnique ? .uniqueNumbersAreConverted : .numbersAreConverted)
  }
}
