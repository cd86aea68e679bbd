/// Compares the parts of two stored attributes that version hashes include.
struct AttributeComparer {
  let old: NSAttributeDescription
  let new: NSAttributeDescription
  let heirs: [ModelPairing.EntityPair]

  func differences() -> [(PropertyAspect, MigrationNeed)] {
    var result: [(PropertyAspect, MigrationNeed)] = []
    if old.attributeType != new.attributeType {
      // The values of a derived attribute are computed again, so their old type does not matter.
      result.append((.type, new is NSDerivedAttributeDescription ? .lightweight : typeChange))
    }
    // Apple's article on lightweight migration does not mention the next two changes. They are lightweight, because
    // they do not change the values. If one setting replaces the other, the hash stays the same.
    let need: MigrationNeed =
      old.hashedSettingCount == new.hashedSettingCount ? .none : .lightweight
    if old.allowsExternalBinaryDataStorage != new.allowsExternalBinaryDataStorage {
      result.append((.externalStorage, need))
    }
    if old.preservesValueInHistoryOnDeletion != new.preservesValueInHistoryOnDeletion {
      result.append((.historyPreservation, need))
    }
    if let old = old as? NSCompositeAttributeDescription,
      let new = new as? NSCompositeAttributeDescription
    {
      let needs = ElementsComparison(old, new, heirs: heirs).changes.map(\.migration)
      if let need = needs.max(by: { $0.severity < $1.severity }) {
        result.append((.elements, need))
      }
    }
    return result
  }

  /// The consequence of a change of type.
  private var typeChange: MigrationNeed {
    // WWDC 2010, session 118, lists numerical type conversion among the inferred changes, and no
    // other change of type. A released application changed a Boolean to an Integer 32 this way
    // (wire-ios-data-model, versions 2.53 and 2.54).
    guard old.attributeType.numericRank != nil, new.attributeType.numericRank != nil else {
      return .mappingModel(.typesDiffer)
    }
    guard old.attributeType.losesNumbers(convertedTo: new.attributeType) else {
      return .lightweight
    }
    let isUnique = heirs.contains { $0.constrainedNames.contains(new.name) }
    return .lightweight(isUnique ? .uniqueNumbersAreConverted : .numbersAreConverted)
  }
}
