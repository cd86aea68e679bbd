import Synchronization

/// The slots of an entity's properties. A slot number is assigned to each property when a model is first used, so
/// that frequently executed code never looks up names.
///
/// The slots of the superentity come first with the same numbers, so the slot number of an entity is valid for all of
/// its subentities.
///
/// A layout is immutable once it is complete, and it is read for every value, so accesses are not checked for
/// exclusivity: `@exclusivity(unchecked)`. Other modules do not see this attribute of a stored property such as
/// `builtSlots`, so they read it through an accessor that they inline (`slots`).
///
/// Tables, columns and entity numbers are in ``StoreSchema``, because they differ between stores of one model. Higher
/// layers store what they derive from a layout, such as classes and derivations, in its ``Companion`` objects.
@usableFromInline
package final class EntityLayout: @unchecked Sendable {
  package let entity: NSEntityDescription
  package let name: String
  /// The index in `ModelLayout.entities`.
  @usableFromInline package let index: Int
  /// A number that no other layout of the program has, starting at 1.
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

  /// The slots with attributes, in slot order. For a composite attribute, these are the slots of its elements.
  @inlinable package var attributeSlots: [Int] { builtAttributeSlots }
  @exclusivity(unchecked)
  @usableFromInline var builtAttributeSlots: [Int] = []
  /// The slots of stored attributes whose values may be outside of the store's file.
  @inlinable package var externalSlots: [Int] { builtExternalSlots }
  @exclusivity(unchecked)
  @usableFromInline var builtExternalSlots: [Int] = []
  @inlinable package var toOneSlots: [Int] { builtToOneSlots }
  @exclusivity(unchecked)
  @usableFromInline var builtToOneSlots: [Int] = []
  @inlinable package var toManySlots: [Int] { builtToManySlots }
  @exclusivity(unchecked)
  @usableFromInline var builtToManySlots: [Int] = []
  /// The slots of attributes and to-one relationships that stores contain: the content of a row.
  @inlinable package var rowSlots: [Int] { builtRowSlots }
  @exclusivity(unchecked)
  @usableFromInline var builtRowSlots: [Int] = []
  /// The index in `rowSlots` by slot number; -1 for other slots.
  private var rowPlaces: [Int] = []
  /// The slots that have validation rules in the model or can hold an invalid value. Objects whose class does not
  /// override validation are validated for these slots only.
  @inlinable package var ruledSlots: [Int] { builtRuledSlots }
  @exclusivity(unchecked)
  @usableFromInline var builtRuledSlots: [Int] = []
  /// The storage of attributes by slot number. Read with every access, so it is not an array.
  @exclusivity(unchecked)
  @usableFromInline var storages = UnsafeMutableBufferPointer<AttributeStorage?>(
    start: nil, count: 0)

  /// The uniqueness constraints, each with the slots whose values are unique together. Those of superentities come
  /// first.
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
    // An entity's properties include the inherited ones, which have their slots already.
    let own = entity.properties.filter { slotNumbers[$0.name] == nil }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    for property in own {
      builtSlotNumbers[property.name] = slots.count
      builtSlots.append(PropertySlot(property: property, index: slots.count))
    }
    for property in own {
      // Elements are added after all properties, so that those of each composite attribute
      // have consecutive numbers.
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
      // Compiled models may contain names of properties without a column.
      let constraint = names.compactMap { slotNumbers[$0] }.filter {
        !slots[$0].isTransient && slots[$0].kind != .toMany && slots[$0].kind != .fetched
      }
      if constraint.count == names.count, !constraint.isEmpty, !constraints.contains(constraint) {
        builtConstraints.append(constraint)
      }
    }
  }

  deinit { storages.deallocate() }

  /// Returns the storage of an attribute slot; nil for other slots.
  @inlinable @inline(__always)
  package func storage(_ slot: Int) -> AttributeStorage? { storages[slot] }

  /// Returns the index of a slot in `rowSlots`; nil for a slot that is not in rows.
  package func rowPlace(of slot: Int) -> Int? {
    guard let place = rowPlaces[safe: slot], place >= 0 else { return nil }
    return place
  }

  /// Returns whether an object's value of a slot is the value in its row.
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

  /// Completes a layout, when all layouts of the model exist.
  package func connect() {
    builtFamily = model.entities.filter { $0.isKind(of: self) }
    for number in slots.indices {
      guard let relationship = slots[number].property as? NSRelationshipDescription else {
        continue
      }
      // The inverse is a slot of the destination, and entities may refer to each other in cycles.
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

  /// The object that the object graph associates with the layout.
  package let graph = Companion()
  /// The object that requests associate with the layout.
  package let query = Companion()
  /// The origin of unsaved objects. It is stored here so that reading it costs nothing.
  package let temporaryOrigin = StoreOrigin.temporary

  /// The layout at the top of the hierarchy, whose table the whole family shares.
  package var root: EntityLayout {
    var layout = self
    while let above = layout.superlayout { layout = above }
    return layout
  }

  /// Breaks the reference cycles when the model is freed.
  package func breakCycles() {
    builtSublayouts = []
    builtFamily = []
    for slot in slots { slot.breakCycles() }
    graph.clear()
    query.clear()
    entity.layoutReference = nil
  }

  /// Returns the layout of an entity; nil for an entity that belongs to no model.
  package static func of(_ entity: NSEntityDescription) -> EntityLayout? {
    existing(for: entity) ?? entity.model.flatMap { ModelLayout.of($0).layout(of: entity) }
  }

  /// Returns the layout of an entity; nil if its model is not in use.
  package static func existing(for entity: NSEntityDescription) -> EntityLayout? {
    // Only layouts are assigned to the property, and an unchecked cast is faster for millions of objects.
    entity.layoutReference.map { unsafeDowncast($0, to: EntityLayout.self) }
  }

  /// Whether the entity has derived attributes, whose values are computed when rows are written.
  package let hasDerivedAttributes: Bool

  package func slot(named name: String) -> PropertySlot? {
    slotNumbers[name].map { slots[$0] }
  }

  /// Returns the entity with which an object of `other` is read where this entity is declared: `other` if it is this
  /// entity or one of its subentities, or this entity if `other` is another one of the hierarchy. Nil for an entity of
  /// another hierarchy, because its objects have other keys.
  package func narrowed(to other: EntityLayout) -> EntityLayout? {
    if other.isKind(of: self) { return other }
    return other.rootIndex == rootIndex && other.model === model ? self : nil
  }

  /// Returns whether both are the same version of an entity, in two models, so that objects have the same slots.
  package func hasSameProperties(as other: EntityLayout) -> Bool {
    // Version hashes do not include transient and fetched properties.
    entity.versionHash == other.entity.versionHash
      && slots.elementsEqual(other.slots) { $0.name == $1.name && $0.kind == $1.kind }
  }

  /// Returns whether this is the layout of `other`'s entity or of one of its subentities.
  package func isKind(of other: EntityLayout) -> Bool {
    var layout: EntityLayout? = self
    while let current = layout {
      if current === other { return true }
      layout = current.superlayout
    }
    return false
  }
}

/// The layouts of all entities of a model. A model has one instance.
@usableFromInline
package final class ModelLayout: @unchecked Sendable {
  package unowned let model: NSManagedObjectModel
  /// Superentities precede their subentities. Otherwise, entities are in the model's order.
  @inlinable package var entities: [EntityLayout] { builtEntities }
  @exclusivity(unchecked)
  @usableFromInline var builtEntities: [EntityLayout] = []
  private var byName: [String: EntityLayout] = [:]
  /// The object that the object graph associates with the model.
  package let graph = Companion()
  /// The error that prevents using the model. A model with such an error has no layouts.
  package let error: NSError?
  /// The error that prevents writing stores of the model, although they can be read.
  package let writingError: NSError?
  private static let lock = NSLock()

  /// Returns the layouts of a model, which are created on first use. The model is immutable from then on.
  ///
  /// A model with errors gets no layouts and stays mutable. After it was corrected, the next call validates it again.
  package static func of(_ model: NSManagedObjectModel) -> ModelLayout {
    lock.withLock {
      if let owner = model.layoutOwner as? Owner { return owner.layout }
      let layout = ModelLayout(model)
      if layout.error == nil { model.layoutOwner = Owner(layout) }
      return layout
    }
  }

  private init(_ model: NSManagedObjectModel) {
    self.model = model
    let tolerated: [ModelProblem]
    do {
      tolerated = try model.tolerated()
      error = nil
    } catch {
      self.error = error as NSError
      writingError = nil
      return
    }
    writingError = NSManagedObjectModel.reasonAgainstWriting(tolerated)
    // Apple's compiler accepts such models, and there are stores of them.
    for problem in tolerated {
      Log.modelWarning("the model is used despite this problem: \(problem)")
    }
    // Slots are numbered once, so the model must not change from here on.
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

  /// Returns the layout of an entity of this model. For an entity of another copy of the model, returns the layout with
  /// the same name.
  package func layout(of entity: NSEntityDescription) -> EntityLayout? {
    // The entity may belong to another copy of the model, whose layout has the same index.
    if let own = EntityLayout.existing(for: entity), own.index < entities.count,
      entities[own.index] === own
    {
      return own
    }
    return byName[entity.name ?? ""]
  }

  /// Retained only by the model, because the reference cycles between layouts must end with it.
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
