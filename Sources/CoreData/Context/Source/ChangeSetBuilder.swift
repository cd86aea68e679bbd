/// Converts changed objects to rows, deletions and links.
final class ChangeSetBuilder {
  let store: NSPersistentStore
  let part: SavedObjects
  /// Changed objects whose rows are gone and are inserted again.
  let restored: ChangeList
  /// The positions, among the new rows, of objects that have no key yet. References to these objects need them.
  private lazy var places: [ObjectIdentifier: Int] = {
    var places: [ObjectIdentifier: Int] = [:]
    for (place, object) in part.inserted.enumerated() where object.key < 0 {
      places[ObjectIdentifier(object)] = place
    }
    return places
  }()

  init(store: NSPersistentStore, part: SavedObjects, restored: ChangeList = ChangeList()) {
    self.store = store
    self.part = part
    self.restored = restored
  }

  func build() throws -> ChangeSet {
    var changes = ChangeSet()
    func versioned(_ object: NSManagedObject) -> ChangeSet.Deletion {
      ChangeSet.Deletion(layout: object.layout, key: object.key, version: object.snapshot.version)
    }
    changes.inserted.reserve(
      rows: part.inserted.count, values: part.inserted.reduce(0) { $0 + $1.layout.rowSlots.count })
    for object in part.inserted { try append(object, to: &changes.inserted) }
    for object in part.updated {
      let isRestored = !restored.isEmpty && restored.contains(object)
      if try append(object, isRestored: isRestored, to: &changes) { continue }
      // A change of members alone writes no row and is not a conflict with other saves of the row.
      // But the row must still exist.
      if object.hasChangedMembers { changes.linked.append(versioned(object)) }
    }
    changes.deleted = part.deleted.map(versioned)
    changes.checked = part.checked.map(versioned)
    for objects in [part.inserted, part.updated] {
      for object in objects where !object.layout.toManySlots.isEmpty {
        changes.links += try links(of: object)
      }
    }
    return changes
  }

  /// Returns the object's key, or a placeholder until the store assigns one; nil for an object that
  /// has no row after the save.
  private func key(of object: NSManagedObject) -> Int64? {
    if object.key > 0 { return object.key }
    return places[ObjectIdentifier(object)].map(NewRows.placeholder)
  }

  // MARK: Rows

  /// The stored form of a slot's value.
  private enum Written {
    case value(StoredValue)
    /// A reference to the new row at a position, which has no key yet.
    case newRow(Int)
  }

  private func append(_ object: NSManagedObject, to rows: inout NewRows) throws {
    try object.readRow()
    let layout = object.layout
    rows.begin(layout, key: object.key < 0 ? nil : object.key)
    for slot in layout.rowSlots {
      if let value = object.valueStoredAsItIs(slot) {
        rows.append(value)
        continue
      }
      switch try storedForm(layout.slots[slot], of: object) {
      case .value(let value): rows.append(value)
      case .newRow(let row): rows.append(referenceToRow: row)
      case nil: rows.append(.null)
      }
    }
    for derivation in layout.derivations.ofRow {
      if derivation.source == .time { rows.setTime(ofLast: derivation.slot) }
      let value = derivation.value(written: { _ in true }) { rows.lastValue($0) }
      if let value { rows.set(value, ofLast: derivation.slot) }
    }
  }

  /// Adds the new values of a row, with the derived attributes that depend on them; all values if the row
  /// is gone and is inserted again. Returns false, and adds no row, if the store has all values already.
  private func append(
    _ object: NSManagedObject, isRestored: Bool, to changes: inout ChangeSet
  ) throws -> Bool {
    var values: [(slot: Int, value: StoredValue)] = []
    var open: [(slot: Int, row: Int)] = []
    let computed = object.layout.derivations.slots
    // If true, derived attributes are computed even if no other attribute has changed.
    var isSetByHand = isRestored
    for slot in object.layout.slots
    where !slot.isTransient && (isRestored || object.isChanged(slot)) {
      // A value that the program sets does not replace the derived one.
      if !isRestored, !computed.isEmpty, computed.contains(slot.index) {
        isSetByHand = true
        continue
      }
      switch try storedForm(slot, of: object) {
      case .value(let value): values.append((slot.index, value))
      case .newRow(let row):
        open.append((slot.index, row))
        values.append((slot.index, .null))
      case nil: break
      }
    }
    if values.isEmpty, !isSetByHand { return false }
    try derive(&values, of: object, isWhole: isRestored)
    // A missing row is inserted again even without values.
    if values.isEmpty, !isRestored { return false }
    changes.updated.append(
      ChangeSet.Row(
        layout: object.layout, key: object.key, version: object.snapshot.version, values: values,
        isRestored: isRestored))
    for (slot, row) in open {
      // Positions are looked up only here, because `derive` moves values.
      guard let place = values.firstIndex(where: { $0.slot == slot }) else { continue }
      changes.addPendingReference(value: place, ofLastUpdated: row)
    }
    for derivation in object.layout.derivations.ofRow where derivation.source == .time {
      guard let place = values.firstIndex(where: { $0.slot == derivation.slot }) else { continue }
      changes.setTime(value: place)
    }
    return true
  }

  /// Adds the derived attributes that depend on the row.
  private func derive(
    _ values: inout [(slot: Int, value: StoredValue)], of object: NSManagedObject, isWhole: Bool
  ) throws {
    for derivation in object.layout.derivations.ofRow {
      let value = try derivation.value(
        written: { slot in isWhole || values.contains { $0.slot == slot } },
        { slot in
          if isWhole, let written = values.first(where: { $0.slot == slot }) {
            return written.value
          }
          return try object.storedValue(slot)
        })
      guard let value else { continue }
      values.removeAll { $0.slot == derivation.slot }
      values.append((derivation.slot, value))
    }
  }

  /// Returns what the store writes for a slot; nil for a slot without a column.
  private func storedForm(_ slot: PropertySlot, of object: NSManagedObject) throws -> Written? {
    switch slot.kind {
    case .attribute:
      return .value(try AttributeCodec.stored(try object.storedValue(slot.index), slot))
    case .toOne:
      // Temporary IDs are expensive, so none are made for objects that get their rows with this save.
      guard let target = try unsavedDestination(of: object, slot.index) else {
        guard let destination = try object.toOneID(slot.index) else { return .value(.null) }
        return .value(.reference(try checked(destination, slot, object)))
      }
      guard let row = places[ObjectIdentifier(target)] else {
        throw CoreDataError.make(
          NSManagedObjectExternalRelationshipError,
          "\(object.layout.name).\(slot.name) refers to an object that is not saved with it:"
            + " \(target.ownID). Insert that object into the context, or delete the reference")
      }
      return .newRow(row)
    case .toMany, .fetched, .composite: return nil
    }
  }

  /// Returns the destination of a to-one relationship if it is an object without a row.
  private func unsavedDestination(of object: NSManagedObject, _ slot: Int) throws
    -> NSManagedObject?
  {
    try object.readRow()
    let destination: NSManagedObject?
    switch object.content(slot) {
    case .writtenObject(let written): destination = written
    case .cachedObject(let known): destination = known
    default: return nil
    }
    return destination.flatMap { $0.primaryKey < 0 ? $0 : nil }
  }

  private func checked(
    _ id: NSManagedObjectID, _ slot: PropertySlot, _ object: NSManagedObject
  ) throws -> NSManagedObjectID {
    if id.origin === store.engine.origin { return id }
    throw CoreDataError.make(
      NSManagedObjectExternalRelationshipError,
      "\(object.layout.name).\(slot.name) refers to an object of another store: \(id). Relationships"
        + " cannot cross stores; use a fetched property")
  }

  /// Returns the key of a member that has a row in the same store, or gets one with this save.
  private func savedKey(
    of member: NSManagedObject, _ slot: Int, _ object: NSManagedObject
  ) throws -> Int64 {
    let key = key(of: member)
    if let key, key < 0 || member.origin === store.engine.origin { return key }
    throw CoreDataError.make(
      NSManagedObjectExternalRelationshipError,
      "\(object.layout.name).\(object.layout.slots[slot].name) refers to an object that is"
        + " \(key == nil ? "not saved with it" : "of another store"): \(member.ownID)")
  }

  private func links(of object: NSManagedObject) throws -> [ChangeSet.Link] {
    guard !object.contents.isEmpty, let owner = key(of: object) else { return [] }
    var links: [ChangeSet.Link] = []
    for slot in object.layout.toManySlots {
      guard case .toMany(let content) = object.contents[slot], content.isChanged,
        !object.layout.slots[slot].isTransient
      else { continue }
      // The positions of new members depend on those of the other members, which keep their positions.
      let order =
        content.needsNewOrder
        ? try object.toManyObjects(slot).filter { !$0.flags.contains(.deleted) }
          .compactMap(key(of:)) : nil
      links.append(
        ChangeSet.Link(
          layout: object.layout, slot: slot, key: owner,
          added: try content.added.filter { !$0.flags.contains(.deleted) }
            .map { try savedKey(of: $0, slot, object) }.sorted(),
          // A member without a row is in no stored relationship.
          removed: content.removed.map(\.key).filter { $0 > 0 }.sorted(), order: order))
    }
    return links
  }
}

extension NSManagedObject {
  /// Whether members of a stored to-many relationship were added, removed or moved.
  var hasChangedMembers: Bool {
    !contents.isEmpty
      && layout.toManySlots.contains {
        !layout.slots[$0].isTransient && isChanged(layout.slots[$0])
      }
  }

  /// Whether values of the object's own row were changed.
  var hasChangedRow: Bool {
    (layout.attributeSlots + layout.toOneSlots).contains {
      !layout.slots[$0].isTransient && isChanged(layout.slots[$0])
    }
  }
}
