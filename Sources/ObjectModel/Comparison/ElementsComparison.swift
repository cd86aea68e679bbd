/// The elements of two composite attributes.
struct ElementsComparison {
  /// The changes of the elements, by name.
  let changes: [PropertyChange]

  init(
    _ old: NSCompositeAttributeDescription, _ new: NSCompositeAttributeDescription,
    heirs: [ModelPairing.EntityPair] = []
  ) {
    let pairing = NamePairing<NSPropertyDescription>(
      old: old.elements, new: new.elements, name: \.name, identifier: \.explicitRenamingIdentifier)
    let comparer = PropertyComparer(pairing: ModelPairing(from: .init(), to: .init()))
    var found: [PropertyComparison] = []
    for element in old.elements where pairing.newByOld[ObjectIdentifier(element)] == nil {
      found.append(comparer.removal(of: element))
    }
    for element in new.elements {
      guard let source = pairing.oldByNew[ObjectIdentifier(element)] else {
        found.append(comparer.addition(of: element, to: heirs))
        continue
      }
      found.append(comparer.comparison(source, element, heirs: heirs, isMoved: false))
    }
    changes = found.sorted { $0.name.isBefore($1.name) }.flatMap(\.changes)
  }
}
