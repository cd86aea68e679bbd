/// The content of a store that is read and written as a whole, independent of its format.
struct StoreDocument {
  /// An object with its values.
  struct Object {
    let layout: EntityLayout
    let key: Int64
    /// The attributes with a value.
    var attributes: [(slot: Int, value: StoredValue)] = []
    /// The relationships in slot order. Members of an ordered relationship are in order.
    var relationships: [(slot: Int, keys: [Int64])] = []
  }

  var metadata: [String: Any]
  /// A number greater than all keys that objects have or had; `Int64.max` if no keys are left.
  var nextKey: Int64
  var objects: [Object] = []

  /// Returns the objects as rows and links of a change set.
  ///
  /// Omits references to objects that do not exist or are not of the relationship's destination entity.
  func changes(origin: StoreOrigin) -> ChangeSet {
    // A reference is only a key. Keys are unique in the whole document, so they determine the entity.
    var layouts: [Int64: EntityLayout] = [:]
    layouts.reserveCapacity(objects.count)
    for object in objects { layouts[object.key] = object.layout }
    var changes = ChangeSet()
    for object in objects {
      var values = object.attributes
      for (slot, keys) in object.relationships {
        let property = object.layout.slots[slot]
        guard let destination = property.relationship?.destination else { continue }
        // The slots of an object of another entity would be read as those of the destination.
        let present = keys.filter { layouts[$0]?.isKind(of: destination) == true }
        guard property.kind == .toMany else {
          if let key = present.first, let layout = layouts[key] {
            values.append(
              (slot, .reference(NSManagedObjectID(layout: layout, key: key, origin: origin))))
          }
          continue
        }
        if present.isEmpty { continue }
        changes.links.append(
          ChangeSet.Link(
            layout: object.layout, slot: slot, key: object.key, added: present, removed: [],
            order: property.relationship?.isOrdered == true ? present : nil))
      }
      changes.inserted.append(object.layout, key: object.key, values)
    }
    return changes
  }

  /// Creates a document with all objects of an engine, sorted by their keys.
  init(of engine: any StoreEngine, model: ModelLayout, metadata: [String: Any], nextKey: Int64)
    throws
  {
    self.metadata = metadata
    self.nextKey = nextKey
    for layout in model.entities where engine.contains(layout) {
      var plan = RowQuery(layout: layout)
      plan.includesSubentities = false
      var batches: [RowBatch] = []
      try engine.fetch(plan, batchCapacity: RowBatch.maximumCount) { batches.append($0) }
      for batch in batches { try append(batch, layout, engine) }
    }
    // Sorted, so that saving the same objects writes the same bytes (`AtomicStoreTests`).
    objects.sort { $0.key < $1.key }
    let present = Set(objects.map(\.key))
    // A relationship without an inverse may still refer to a deleted object.
    for index in objects.indices {
      for place in objects[index].relationships.indices {
        objects[index].relationships[place].keys.removeAll { !present.contains($0) }
      }
    }
  }

  init(metadata: [String: Any], nextKey: Int64 = 1) {
    self.metadata = metadata
    self.nextKey = nextKey
  }

  /// Raises ``nextKey`` above a key that an object has.
  mutating func reserveKeys(through last: Int64) {
    nextKey = max(nextKey, last < Int64.max ? last + 1 : Int64.max)
  }

  private mutating func append(
    _ batch: RowBatch, _ layout: EntityLayout, _ engine: any StoreEngine
  ) throws {
    var members: [Int: [Int64: [Int64]]] = [:]
    for slot in layout.toManySlots where !layout.slots[slot].isTransient {
      try engine.members(
        of: slot, layout: layout, owners: (0..<batch.count).map(batch.key)
      ) { owner, member, _ in members[slot, default: [:]][owner, default: []].append(member) }
    }
    for row in 0..<batch.count {
      let snapshot = RowSnapshot.row(batch, Int32(row))
      var object = Object(layout: layout, key: batch.key(row))
      for slot in layout.slots where !slot.isTransient {
        switch slot.kind {
        case .attribute:
          let value = snapshot.value(of: slot, in: layout, origin: engine.origin)
          if !value.isNull { object.attributes.append((slot.index, value)) }
        case .toOne:
          let value = snapshot.value(of: slot, in: layout, origin: engine.origin)
          var keys: [Int64] = []
          if case .reference(let id) = value { keys = [id.key] }
          object.relationships.append((slot.index, keys))
        case .toMany:
          object.relationships.append((slot.index, members[slot.index]?[object.key] ?? []))
        case .fetched, .composite: break
        }
      }
      objects.append(object)
    }
  }
}
