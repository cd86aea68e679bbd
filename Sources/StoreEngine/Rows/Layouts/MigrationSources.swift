/// Maps each entity and slot of a new model to the entity and slot of the old model that provide its values.
package struct MigrationSources {
  package let old: ModelLayout
  package let new: ModelLayout
  package let comparison: ModelComparison
  /// The old layouts by index of the new entity.
  private let layouts: [EntityLayout?]
  /// The old slots by index of the new entity and by slot number.
  private let slots: [[Int?]]
  /// The new layouts by index of the old entity.
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

  /// Returns the old entity whose objects become objects of a new entity; nil for an added entity.
  package func source(of layout: EntityLayout) -> EntityLayout? { layouts[layout.index] }

  /// Returns the old slot from which a slot gets its values; nil for an added slot.
  package func slot(_ slot: Int, of layout: EntityLayout) -> Int? { slots[layout.index][slot] }

  /// Returns the new entity of an old entity; nil for a removed entity.
  package func successor(of layout: EntityLayout) -> EntityLayout? { successors[layout.index] }
}

extension EntityLayout {
  /// Returns the element of a composite attribute of this entity, in an old model, from which an element of the
  /// attribute in a new model gets its values; nil for an added element.
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
