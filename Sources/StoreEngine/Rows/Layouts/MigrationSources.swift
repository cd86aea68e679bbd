/// Which entity and slot of an old model each entity and slot of a new one gets its values from.
package struct MigrationSources {
  package let old: ModelLayout
  package let new: ModelLayout
  package let comparison: ModelComparison
  /// By index of the new entity.
  private let layouts: [EntityLayout?]
  /// By index of the new entity and by its slots.
  private let slots: [[Int?]]
  /// By index of the old entity.
  private let successors: [EntityLayout?]

  package init(from old: ModelLayout, to new: ModelLayout) {
    self.old = old
    self.new = new
    comparison = ModelComparison(from: old.model, to: new.model)
    let pairs = Dictionary(
      comparison.entities.compactMap { pair in
        pair.new.map { (ObjectIdentifier($0), pair) }
      }, uniquingKeysWith: { first, _ in first })
    let layouts = new.entities.map { layout in
      pairs[ObjectIdentifier(layout.entity)]?.old.flatMap(old.layout(of:))
    }
    self.layouts = layouts
    slots = zip(new.entities, layouts).map { layout, source in
      guard let source, let pair = pairs[ObjectIdentifier(layout.entity)] else {
        return Array(repeating: nil, count: layout.slots.count)
      }
      let names = Dictionary(
        pair.sources.compactMap { property in property.old.map { (property.new.name, $0.name) } },
        uniquingKeysWith: { first, _ in first })
      return layout.slots.map { Self.source(of: $0, in: layout, source, names) }
    }
    var successors = [EntityLayout?](repeating: nil, count: old.entities.count)
    for (layout, source) in zip(new.entities, layouts) {
      if let source { successors[source.index] = layout }
    }
    self.successors = successors
  }

  private static func source(
    of slot: PropertySlot, in layout: EntityLayout, _ source: EntityLayout,
    _ names: [String: String]
  ) -> Int? {
    guard let composite = slot.composite else {
      return names[slot.name].flatMap { source.slot(named: $0)?.index }
    }
    let whole = layout.slots[composite]
    guard let name = names[whole.name], let oldWhole = source.slot(named: name) else { return nil }
    return source.element(ofOld: oldWhole, for: slot, of: whole)?.index
  }

  /// The old entity whose objects become objects of a new one; nil for an added one.
  package func source(of layout: EntityLayout) -> EntityLayout? { layouts[layout.index] }

  /// The old slot that a slot gets its values from; nil for an added one.
  package func slot(_ slot: Int, of layout: EntityLayout) -> Int? { slots[layout.index][slot] }

  /// What an old entity has become; nil for a removed one.
  package func successor(of layout: EntityLayout) -> EntityLayout? { successors[layout.index] }
}

extension EntityLayout {
  /// The element of a composite attribute of this entity, in an old model, that an element of the attribute in a new one
  /// gets its values from; nil for an added one.
  package func element(
    ofOld oldWhole: PropertySlot, for slot: PropertySlot, of whole: PropertySlot
  ) -> PropertySlot? {
    guard let new = whole.property as? NSCompositeAttributeDescription,
      let old = oldWhole.property as? NSCompositeAttributeDescription,
      let keys = new.oldKeys(of: slot.keys[...], in: old)
    else { return nil }
    return self.slot(named: ([oldWhole.name] + keys).joined(separator: "."))
  }
}
