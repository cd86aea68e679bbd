import Foundation
import ObjectModel

/// Turns changed objects into rows, deletions and links.
final class ChangeSetBuilder {
  let store: NSPersistentStore
  let part: SavedObjects
  /// Changed objects whose rows are gone and are written anew.
  let restored: ChangeList
  /// How many new keys each root entity needs.
  private(set) var demands: [KeyDemand] = []
  /// By the index of a root entity: the place of its demand.
  private var places: [Int: Int] = [:]
  /// The keys of the inserted objects, in their order, once the store gave them.
  private(set) var insertedKeys: [Int64] = []
  private var keysByObject: [ObjectIdentifier: Int64]?

  init(store: NSPersistentStore, part: SavedObjects, restored: ChangeList = ChangeList()) {
    self.store = store
    self.part = part
    self.restored = restored
    var last = (root: -1, place: 0)
    // Objects that got permanent IDs in advance have their keys.
    for object in part.inserted where object.key < 0 {
      let root = object.layout.rootIndex
      if last.root != root {
        last = (root, places[root] ?? demands.count)
        if last.place == demands.count {
          places[root] = last.place
          demands.append(KeyDemand(root: object.layout.root, count: 0))
        }
      }
      demands[last.place].count += 1
    }
  }

  /// The keys of the objects that had none before, once the store gave them.
  var newKeys: [ObjectIdentifier: Int64] {
    if let keysByObject { return keysByObject }
    var keys: [ObjectIdentifier: Int64] = [:]
    for (object, key) in zip(part.inserted, insertedKeys) where object.key < 0 {
      keys[ObjectIdentifier(object)] = key
    }
    keysByObject = keys
    return keys
  }

  /// Gives each new object a key of those that the store gave.
  private func giveKeys(_ keys: [Range<Int64>]) {
    var rest = keys
    var last = (root: -1, place: 0)
    keysByObject = nil
    insertedKeys.removeAll(keepingCapacity: true)
    insertedKeys.reserveCapacity(part.inserted.count)
    for object in part.inserted {
      var key = object.key
      if key < 0 {
        let root = object.layout.rootIndex
        if last.root != root { last = (root, places[root] ?? rest.count) }
        if last.place < rest.count { key = rest[last.place].popFirst() ?? key }
      }
      insertedKeys.append(key)
    }
  }

  func build(_ keys: [Range<Int64>]) throws -> ChangeSet {
    giveKeys(keys)
    var changes = ChangeSet()
    func versioned(_ object: NSManagedObject) -> ChangeSet.Deletion {
      ChangeSet.Deletion(layout: object.layout, key: object.key, version: object.snapshot.version)
    }
    changes.inserted.reserveCapacity(part.inserted.count)
    for (object, key) in zip(part.inserted, insertedKeys) {
      changes.inserted.append(try ChangeSet.NewRow(of: object, key: key, self))
    }
    for object in part.updated {
      if !restored.isEmpty, restored.contains(object) {
        changes.updated.append(try restoration(object))
      } else if let row = try update(object) {
        changes.updated.append(row)
      } else if object.hasChangedMembers {
        changes.linked.append(versioned(object))
      }
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

  private func key(of object: NSManagedObject) -> Int64 {
    object.key > 0 ? object.key : newKeys[ObjectIdentifier(object)] ?? object.key
  }

  /// A row that is gone is written as a new one.
  private func restoration(_ object: NSManagedObject) throws -> ChangeSet.Row {
    let values = try values(of: object)
    return ChangeSet.Row(
      layout: object.layout, key: object.key, version: object.snapshot.version,
      values: object.layout.rowSlots.map { (slot: $0, value: values[$0]) }, isRestored: true)
  }

  /// What the store writes for a slot of an object whose row is in memory; derived values apart.
  @inline(__always)
  func value(_ slot: Int, of object: NSManagedObject) throws -> StoredValue {
    if let value = object.valueStoredAsItIs(slot) { return value }
    return try storedForm(object.layout.slots[slot], of: object) ?? .null
  }

  /// What the store writes for an object, by slot number.
  func values(of object: NSManagedObject) throws -> [StoredValue] {
    let layout = object.layout
    var values = [StoredValue](repeating: .null, count: layout.slots.count)
    for slot in layout.rowSlots { values[slot] = try value(slot, of: object) }
    for derivation in layout.derivations.ofRow {
      let value = derivation.value(written: { _ in true }) { values[$0] }
      if let value { values[derivation.slot] = value }
    }
    return values
  }

  /// The row's new values; nil when they are those that the store has.
  private func update(_ object: NSManagedObject) throws -> ChangeSet.Row? {
    var values: [(slot: Int, value: StoredValue)] = []
    let computed = object.layout.derivations.slots
    var isSetByHand = false
    for slot in object.layout.slots where !slot.isTransient && object.isChanged(slot) {
      // What a program sets is not what the attribute is derived from.
      if !computed.isEmpty, computed.contains(slot.index) {
        isSetByHand = true
      } else if let value = try storedForm(slot, of: object) {
        values.append((slot.index, value))
      }
    }
    if values.isEmpty, !isSetByHand { return nil }
    try derive(&values, of: object)
    if values.isEmpty { return nil }
    return ChangeSet.Row(
      layout: object.layout, key: object.key, version: object.snapshot.version, values: values)
  }

  /// Adds the derived attributes that follow from the row.
  private func derive(
    _ values: inout [(slot: Int, value: StoredValue)], of object: NSManagedObject
  ) throws {
    for derivation in object.layout.derivations.ofRow {
      let value = try derivation.value(
        written: { slot in values.contains { $0.slot == slot } },
        { try object.storedValue($0) })
      guard let value else { continue }
      values.removeAll { $0.slot == derivation.slot }
      values.append((derivation.slot, value))
    }
  }

  /// What the store writes for a slot; nil for a slot that has no column.
  private func storedForm(_ slot: PropertySlot, of object: NSManagedObject) throws -> StoredValue? {
    switch slot.kind {
    case .attribute:
      return try AttributeCodec.stored(try object.storedValue(slot.index), slot)
    case .toOne:
      // Temporary IDs, which cost more than others, are not made of objects that get their rows with this save.
      guard let target = try unsavedDestination(of: object, slot.index) else {
        guard let destination = try object.toOneID(slot.index) else { return .null }
        return .reference(try checked(destination, slot, object))
      }
      guard let key = newKeys[ObjectIdentifier(target)] else {
        throw CoreDataError.make(
          NSManagedObjectExternalRelationshipError,
          "\(object.layout.name).\(slot.name) leads to an object that is not saved with it:"
            + " \(target.objectID)")
      }
      return .reference(
        NSManagedObjectID(layout: target.layout, key: key, origin: store.engine.origin))
    case .toMany, .fetched, .composite: return nil
    }
  }

  /// The destination of a to-one relationship, if it is an object without a row.
  private func unsavedDestination(of object: NSManagedObject, _ slot: Int) throws
    -> NSManagedObject?
  {
    try object.readRow()
    let destination: NSManagedObject?
    switch object.contents[safe: slot] {
    case .writtenObject(let written): destination = written
    case .cachedObject(let known): destination = known
    default: return nil
    }
    return destination.flatMap { $0.identifiedKey < 0 ? $0 : nil }
  }

  private func checked(
    _ id: NSManagedObjectID, _ slot: PropertySlot, _ object: NSManagedObject
  ) throws -> NSManagedObjectID {
    if id.origin === store.engine.origin { return id }
    throw CoreDataError.make(
      NSManagedObjectExternalRelationshipError,
      "\(object.layout.name).\(slot.name) leads to an object of another store: \(id)")
  }

  /// The key of a member that has, or gets with this save, a row in the same store.
  private func savedKey(
    of member: NSManagedObject, _ slot: Int, _ object: NSManagedObject
  ) throws -> Int64 {
    let key = key(of: member)
    if key > 0, member.origin === store.engine.origin || newKeys[ObjectIdentifier(member)] != nil {
      return key
    }
    throw CoreDataError.make(
      NSManagedObjectExternalRelationshipError,
      "\(object.layout.name).\(object.layout.slots[slot].name) leads to an object that is"
        + " \(key > 0 ? "of another store" : "not saved with it"): \(member.objectID)")
  }

  private func links(of object: NSManagedObject) throws -> [ChangeSet.Link] {
    guard !object.contents.isEmpty else { return [] }
    var links: [ChangeSet.Link] = []
    for slot in object.layout.toManySlots {
      guard case .toMany(let content) = object.contents[slot], content.isChanged,
        !object.layout.slots[slot].isTransient
      else { continue }
      // The place of a new member depends on the others; those of the rest stay.
      let order =
        content.needsNewOrder
        ? try object.toManyObjects(slot).filter { !$0.flags.contains(.deleted) }.map(key(of:)) : nil
      links.append(
        ChangeSet.Link(
          layout: object.layout, slot: slot, key: key(of: object),
          added: try content.added.filter { !$0.flags.contains(.deleted) }
            .map { try savedKey(of: $0, slot, object) }.sorted(),
          removed: content.removed.map(key(of:)).filter { $0 > 0 }.sorted(),
          order: order))
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

  /// Whether values that are kept in the object's own row were changed.
  var hasChangedRow: Bool {
    (layout.attributeSlots + layout.toOneSlots).contains {
      !layout.slots[$0].isTransient && isChanged(layout.slots[$0])
    }
  }
}
