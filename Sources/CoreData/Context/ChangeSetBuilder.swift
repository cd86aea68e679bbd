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
  /// The keys of inserted objects, once the store gave them.
  private(set) var newKeys: [ObjectIdentifier: Int64] = [:]
  private var waiting: [[NSManagedObject]] = []

  init(store: NSPersistentStore, part: SavedObjects, restored: ChangeList = ChangeList()) {
    self.store = store
    self.part = part
    self.restored = restored
    // Objects that got permanent IDs in advance have their keys.
    for object in part.inserted where object.key < 0 {
      if let index = demands.firstIndex(where: { $0.root === object.layout.root }) {
        demands[index].count += 1
        waiting[index].append(object)
      } else {
        demands.append(KeyDemand(root: object.layout.root, count: 1))
        waiting.append([object])
      }
    }
  }

  func build(_ keys: [Range<Int64>]) throws -> ChangeSet {
    for (objects, keys) in zip(waiting, keys) {
      for (object, key) in zip(objects, keys) { newKeys[ObjectIdentifier(object)] = key }
    }
    var changes = ChangeSet()
    func versioned(_ object: NSManagedObject) -> ChangeSet.Deletion {
      ChangeSet.Deletion(layout: object.layout, key: object.key, version: object.snapshot.version)
    }
    for object in part.inserted { changes.inserted.append(try insertion(object, version: 0)) }
    for object in part.updated {
      if !restored.isEmpty, restored.contains(object) {
        var row = try insertion(object, version: object.snapshot.version)
        row.isRestored = true
        changes.updated.append(row)
      } else if let row = try update(object) {
        changes.updated.append(row)
      } else if object.hasChangedMembers {
        changes.linked.append(versioned(object))
      }
    }
    changes.deleted = part.deleted.map(versioned)
    changes.checked = part.checked.map(versioned)
    for object in part.inserted + part.updated { changes.links += try links(of: object) }
    return changes
  }

  private func key(of object: NSManagedObject) -> Int64 {
    newKeys[ObjectIdentifier(object)] ?? object.key
  }

  private func insertion(
    _ object: NSManagedObject, version: Int32
  ) throws -> ChangeSet.Row {
    var values: [(slot: Int, value: StoredValue)] = []
    for slot in object.layout.slots where !slot.isTransient {
      let value = try storedForm(slot, of: object)
      if let value, !value.isNull { values.append((slot.index, value)) }
    }
    try derive(&values, of: object)
    return ChangeSet.Row(
      layout: object.layout, key: key(of: object), version: version, values: values)
  }

  /// The row's new values; nil when they are those that the store has.
  private func update(_ object: NSManagedObject) throws -> ChangeSet.Row? {
    var values: [(slot: Int, value: StoredValue)] = []
    for slot in object.layout.slots where !slot.isTransient && object.isChanged(slot) {
      if let value = try storedForm(slot, of: object) { values.append((slot.index, value)) }
    }
    if values.isEmpty { return nil }
    try derive(&values, of: object)
    return ChangeSet.Row(
      layout: object.layout, key: object.key, version: object.snapshot.version, values: values)
  }

  /// Adds the derived attributes that follow from the row.
  private func derive(
    _ values: inout [(slot: Int, value: StoredValue)], of object: NSManagedObject
  ) throws {
    for derivation in object.layout.rowDerivations {
      let value = try derivation.value(written: values) { try object.storedValue($0) }
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
      guard let destination = try object.toOneID(slot.index) else { return .null }
      guard destination.key < 0 else { return .reference(try checked(destination, slot, object)) }
      guard let target = try object.toOneObject(slot.index),
        let key = newKeys[ObjectIdentifier(target)]
      else {
        throw CoreDataError.make(
          NSManagedObjectExternalRelationshipError,
          "\(object.layout.name).\(slot.name) leads to an object that is not saved with it:"
            + " \(destination)")
      }
      return .reference(
        NSManagedObjectID(layout: target.layout, key: key, origin: store.engine.origin))
    case .toMany, .fetched, .composite: return nil
    }
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
    if key > 0, newKeys[ObjectIdentifier(member)] != nil || member.origin === store.engine.origin {
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
