import Synchronization

/// Where an entity's properties live: one slot number a property, given once when a model is first
/// used, so that nothing on a hot path looks a name up.
///
/// Slots of the superentity come first and keep their numbers, so a slot number found for an
/// entity is right for all its subentities.
///
/// A layout does not change once it is made, and is read for every value, so no access is checked for exclusivity. Other
/// modules do not see that of a property: what they read lies behind accessors that they inline (`slots`, `builtSlots`).
///
/// Tables, columns and entity numbers are in ``StoreSchema``, because they differ between stores of one model. Higher
/// layers keep what they derive from a layout, such as classes and derivations, in its ``Companion`` objects.
@usableFromInline
package final class EntityLayout: @unchecked Sendable {
  package let entity: NSEntityDescription
  package let name: String
  /// The position in `ModelLayout.entities`.
  @usableFromInline package let index: Int
  /// A number that no other layout of the program has; from 1.
  package let number = EntityLayout.count.add(1, ordering: .relaxed).newValue
  private static let count = Atomic<UInt32>(0)
  package let model: ModelLayout
  package let superlayout: EntityLayout?
  @inlinable package var sublayouts: [EntityLayout] { builtSublayouts }
  @exclusivity(unchecked)
  @usableFromInline var builtSublayouts: [EntityLayout] = []
  @inlinable package var slots: [PropertySlot] { builtSlots }
  @exclusivity(unchecked)
  @usableFromInline var builtSlots: [PropertySlot] = []
  @inlinable package var slotNumbers: [String: Int] { builtSlotNumbers }
  @exclusivity(unchecked)
  @usableFromInline var builtSlotNumbers: [String: Int] = [:]

  /// Slots by what they hold, each in slot order; for a composite attribute those of its elements.
  @inlinable package var attributeSlots: [Int] { builtAttributeSlots }
  @exclusivity(unchecked)
  @usableFromInline var builtAttributeSlots: [Int] = []
  /// Those of stored attributes whose values may be kept outside the store's file.
  @inlinable package var externalSlots: [Int] { builtExternalSlots }
  @exclusivity(unchecked)
  @usableFromInline var builtExternalSlots: [Int] = []
  @inlinable package var toOneSlots: [Int] { builtToOneSlots }
  @exclusivity(unchecked)
  @usableFromInline var builtToOneSlots: [Int] = []
  @inlinable package var toManySlots: [Int] { builtToManySlots }
  @exclusivity(unchecked)
  @usableFromInline var builtToManySlots: [Int] = []
  /// Those of attributes and to-one relationships that stores keep: what a row says.
  @inlinable package var rowSlots: [Int] { builtRowSlots }
  @exclusivity(unchecked)
  @usableFromInline var builtRowSlots: [Int] = []
  /// By slot number: the place among `rowSlots`, -1 for the others.
  private var rowPlaces: [Int] = []
  /// Those of which the model asks something, or that can hold what is no value: what is validated of
  /// objects whose class has no rules of its own.
  @inlinable package var ruledSlots: [Int] { builtRuledSlots }
  @exclusivity(unchecked)
  @usableFromInline var builtRuledSlots: [Int] = []
  /// By slot number: the form of an attribute's values. Looked at with every access, hence not an array.
  @exclusivity(unchecked)
  @usableFromInline var storages = UnsafeMutableBufferPointer<AttributeStorage?>(
    start: nil, count: 0)

  /// The slots that are unique together, those of superentities first.
  @inlinable package var constraints: [[Int]] { builtConstraints }
  @exclusivity(unchecked)
  @usableFromInline var builtConstraints: [[Int]] = []

  /// This layout and those of all subentities at any depth, in model order.
  @inlinable package var family: [EntityLayout] { builtFamily }
  @exclusivity(unchecked)
  @usableFromInline var builtFamily: [EntityLayout] = []

  package init(
    entity: NSEntityDescription, index: Int, model: ModelLayout, superlayout: EntityLayout?
  ) {
    self.entity = entity
    self.name = entity.name ?? ""
    self.index = index
    self.model = model
    self.superlayout = superlayout
    rootIndex = superlayout?.rootIndex ?? index
    hasDerivedAttributes = entity.attributesByName.values.contains {
      $0 is NSDerivedAttributeDescription
    }
    superlayout?.builtSublayouts.append(self)

    builtSlots = superlayout?.slots ?? []
    builtSlotNumbers = superlayout?.slotNumbers ?? [:]
    let own = entity.properties.filter { slotNumbers[$0.name] == nil }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    for property in own {
      builtSlotNumbers[property.name] = slots.count
      builtSlots.append(PropertySlot(property: property, index: slots.count))
    }
    for property in own {
      if let composite = property as? NSCompositeAttributeDescription,
        let slot = slotNumbers[composite.name].map({ slots[$0] })
      {
        let first = slots.count
        addElements(of: composite, keys: [], slot)
        slot.setElements(first..<slots.count)
      }
    }
    for slot in slots {
      switch slot.kind {
      case .attribute: builtAttributeSlots.append(slot.index)
      case .toOne: builtToOneSlots.append(slot.index)
      case .toMany: builtToManySlots.append(slot.index)
      case .fetched, .composite: break
      }
    }
    storages = .allocate(capacity: slots.count)
    _ = storages.initialize(fromContentsOf: slots.map(\.storage))
    builtRowSlots = (attributeSlots + toOneSlots).filter { !slots[$0].isTransient }.sorted()
    rowPlaces = Array(repeating: -1, count: slots.count)
    for (place, slot) in rowSlots.enumerated() { rowPlaces[slot] = place }
    builtExternalSlots = attributeSlots.filter {
      !slots[$0].isTransient && slots[$0].mayBeExternal
    }
    builtConstraints = superlayout?.constraints ?? []
    for names in entity.uniquenessConstraintNames {
      // Models that a compiler wrote may name what has no column.
      let constraint = names.compactMap { slotNumbers[$0] }.filter {
        !slots[$0].isTransient && slots[$0].kind != .toMany && slots[$0].kind != .fetched
      }
      if constraint.count == names.count, !constraint.isEmpty, !constraints.contains(constraint) {
        builtConstraints.append(constraint)
      }
    }
  }

  deinit { storages.deallocate() }

  /// The form of the values of a slot that holds an attribute's; nil for others.
  @inlinable @inline(__always)
  package func storage(_ slot: Int) -> AttributeStorage? { storages[slot] }

  /// The place of a slot among `rowSlots`; nil for a slot that no row has.
  package func rowPlace(of slot: Int) -> Int? {
    guard let place = rowPlaces[safe: slot], place >= 0 else { return nil }
    return place
  }

  /// Whether what an object holds for a slot is what its row says.
  @inlinable @inline(__always)
  package func isStoredAsItIs(_ slot: Int) -> Bool {
    switch storages[slot] {
    case nil, .transformable: false
    default: true
    }
  }

  private func addElements(
    of composite: NSCompositeAttributeDescription, keys: [String], _ slot: PropertySlot
  ) {
    for element in composite.elements {
      let keys = keys + [element.name]
      if let inner = element as? NSCompositeAttributeDescription {
        addElements(of: inner, keys: keys, slot)
      } else {
        let own = PropertySlot(element: element, keys: keys, of: slot, index: slots.count)
        builtSlotNumbers[own.name] = own.index
        builtSlots.append(own)
      }
    }
  }

  /// Second step of making a model's layouts, when all of them exist.
  package func connect() {
    builtFamily = model.entities.filter { $0.isKind(of: self) }
    for number in slots.indices {
      guard let relationship = slots[number].property as? NSRelationshipDescription else {
        continue
      }
      slots[number].connect(relationship, in: model)
    }
    builtRuledSlots = slots.filter { slot in
      switch slot.kind {
      case .toMany: slot.countsMembers
      case .attribute(.date): true
      case .attribute, .composite, .toOne: slot.isValidated && slot.composite == nil
      case .fetched: false
      }
    }.map(\.index)
  }

  /// The index of `root`.
  package let rootIndex: Int

  /// What the object graph keeps with the layout.
  package let graph = Companion()
  /// What requests keep with it.
  package let query = Companion()
  /// The origin of an object that is not saved; here, so that finding it costs nothing.
  package let temporaryOrigin = StoreOrigin.temporary

  /// The layout at the top of the hierarchy, whose table all of its family shares.
  package var root: EntityLayout {
    var layout = self
    while let above = layout.superlayout { layout = above }
    return layout
  }

  /// Breaks the references that go round, when the model is gone.
  package func breakCycles() {
    builtSublayouts = []
    builtFamily = []
    for slot in slots { slot.breakCycles() }
    graph.clear()
    query.clear()
    entity.layoutReference = nil
  }

  /// The layout of an entity of a model; nil for an entity that belongs to none.
  package static func of(_ entity: NSEntityDescription) -> EntityLayout? {
    existing(for: entity) ?? entity.model.flatMap { ModelLayout.of($0).layout(of: entity) }
  }

  /// The layout of an entity whose model is in use.
  package static func existing(for entity: NSEntityDescription) -> EntityLayout? {
    // Nothing else is ever kept there, and objects are made by the million.
    entity.layoutReference.map { unsafeDowncast($0, to: EntityLayout.self) }
  }

  /// Whether the store computes some of the values when a row is written.
  package let hasDerivedAttributes: Bool

  package func slot(named name: String) -> PropertySlot? {
    slotNumbers[name].map { slots[$0] }
  }

  /// Whether this is the layout of `other`'s entity or of one of its subentities.
  package func isKind(of other: EntityLayout) -> Bool {
    var layout: EntityLayout? = self
    while let current = layout {
      if current === other { return true }
      layout = current.superlayout
    }
    return false
  }
}

/// The layouts of all entities of a model; there is one a model.
@usableFromInline
package final class ModelLayout: @unchecked Sendable {
  package unowned let model: NSManagedObjectModel
  /// Superentities before their subentities, else in the model's order.
  @inlinable package var entities: [EntityLayout] { builtEntities }
  @exclusivity(unchecked)
  @usableFromInline var builtEntities: [EntityLayout] = []
  private var byName: [String: EntityLayout] = [:]
  /// What the object graph keeps with the model.
  package let graph = Companion()
  /// What keeps the model from being used; there are no layouts then.
  package let fault: NSError?
  /// What keeps stores of the model from being written, though they can be read.
  package let writingFault: NSError?
  private static let lock = NSLock()

  /// The layouts of a model, made when they are asked for first; from there on the model cannot
  /// be changed.
  ///
  /// A model with errors gets no layouts and can be mended: the next to ask has it checked anew.
  package static func of(_ model: NSManagedObjectModel) -> ModelLayout {
    lock.withLock {
      if let owner = model.layoutOwner as? Owner { return owner.layout }
      let layout = ModelLayout(model)
      if layout.fault == nil { model.layoutOwner = Owner(layout) }
      return layout
    }
  }

  private init(_ model: NSManagedObjectModel) {
    self.model = model
    let tolerated: [ModelProblem]
    do {
      tolerated = try model.tolerated()
      fault = nil
    } catch {
      fault = error as NSError
      writingFault = nil
      return
    }
    writingFault = NSManagedObjectModel.reasonAgainstWriting(tolerated)
    for problem in tolerated { Log.modelWarning("the model is used all the same: \(problem)") }
    model.freeze()
    for entity in model.entities where entity.superentity == nil { add(entity, below: nil) }
    for layout in entities { layout.connect() }
  }

  private func add(_ entity: NSEntityDescription, below superlayout: EntityLayout?) {
    let layout = EntityLayout(
      entity: entity, index: entities.count, model: self, superlayout: superlayout)
    builtEntities.append(layout)
    byName[layout.name] = layout
    entity.layoutReference = layout
    for subentity in entity.subentities { add(subentity, below: layout) }
  }

  package func layout(named name: String) -> EntityLayout? { byName[name] }

  /// The layout of an entity of this model, or of an equal one of another copy of the model.
  package func layout(of entity: NSEntityDescription) -> EntityLayout? {
    if let own = EntityLayout.existing(for: entity), own.index < entities.count,
      entities[own.index] === own
    {
      return own
    }
    return byName[entity.name ?? ""]
  }

  /// Held by the model alone: layouts refer to each other in circles, which end with the model.
  private final class Owner {
    let layout: ModelLayout
    init(_ layout: ModelLayout) { self.layout = layout }
    deinit {
      for entity in layout.entities { entity.breakCycles() }
      layout.builtEntities = []
      layout.byName = [:]
      layout.graph.clear()
    }
  }
}
