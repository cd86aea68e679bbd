/// Compares the elements of two composite attributes.
struct ElementsComparison {
  /// The changes to the elements, sorted by name.
  let changes: [PropertyChange]

  init(
    _ old: NSCompositeAttributeDescription, _ new: NSCompositeAttributeDescription,
    heirs: [ModelPairing.EntityPair] = []
  ) {
    let pairing = Self.pairing(old, new)
    // An empty pairing is enough: it matters only for relationships and moved properties, and
    // elements are neither.
    let comparer = PropertyComparer(pairing: ModelPairing(from: .init(), to: .init()))
    var found = old.elements.filter { pairing.newByOld[ObjectIdentifier($0)] == nil }
      .map { comparer.removal(of: $0) }
    for element in new.elements {
      guard let source = pairing.oldByNew[ObjectIdentifier(element)] else {
        found.append(comparer.addition(of: element, to: heirs))
        continue
      }
      found.append(comparer.comparison(source, element, heirs: heirs, isMoved: false))
    }
    changes = found.sorted { $0.name.isBefore($1.name) }.flatMap(\.changes)
  }

  fileprivate static func pairing(
    _ old: NSCompositeAttributeDescription, _ new: NSCompositeAttributeDescription
  ) -> NamePairing<NSPropertyDescription> {
    NamePairing(
      old: old.elements, new: new.elements, name: \.name, identifier: \.explicitRenamingIdentifier)
  }
}

extension NSCompositeAttributeDescription {
  /// Returns the names that lead to the corresponding element of an older composite attribute; nil if there is none.
  ///
  /// - Parameter keys: The names that lead to the element, from the outermost composite inwards.
  package final func oldKeys(
    of keys: ArraySlice<String>, in old: NSCompositeAttributeDescription
  ) -> [String]? {
    guard let key = keys.first, let element = elements.first(where: { $0.name == key }),
      let source = ElementsComparison.pairing(old, self).oldByNew[ObjectIdentifier(element)]
    else { return nil }
    if keys.count == 1 { return [source.name] }
    guard let inner = element as? NSCompositeAttributeDescription,
      let oldInner = source as? NSCompositeAttributeDescription
    else { return nil }
    return inner.oldKeys(of: keys.dropFirst(), in: oldInner).map { [source.name] + $0 }
  }
}
