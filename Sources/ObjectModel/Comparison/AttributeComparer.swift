/// Compares what version hashes say of two stored attributes.
struct AttributeComparer {
  private let old: NSAttributeDescription
  private let new: NSAttributeDescription
  private let heirs: [ModelPairing.EntityPair]

  init(
    _ old: NSAttributeDescription, _ new: NSAttributeDescription,
    heirs: [ModelPairing.EntityPair]
  ) {
    self.old = old
    self.new = new
    self.heirs = heirs
  }

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
      let need = Self.needs(ElementsComparison(old, new, heirs: heirs).changes.map(\.migration))
      if let need { result.append((.elements, need)) }
    }
    return result
  }

  private static func needs(_ needs: [MigrationNeed]) -> MigrationNeed? {
    needs.max { $0.weight < $1.weight }
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
