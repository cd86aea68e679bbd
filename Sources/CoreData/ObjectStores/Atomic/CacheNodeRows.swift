/// Converts the nodes of a custom atomic store to rows.
struct CacheNodeRows {
  private let rows: any RowStorage

  init(_ rows: any RowStorage) { self.rows = rows }

  func changes(_ nodes: [NSAtomicStoreCacheNode]) throws -> ChangeSet {
    var changes = ChangeSet()
    for node in nodes {
      let id = node.objectID
      guard id.origin === rows.origin, rows.contains(id.layout) else {
        throw CoreDataError.make(
          NSPersistentStoreOperationError, "the ID of a node belongs to another store: \(id)")
      }
      var values: [(slot: Int, value: StoredValue)] = []
      // The value of a composite attribute contains its elements.
      for slot in id.layout.slots where !slot.isTransient && slot.composite == nil {
        let value = node.value(forKey: slot.name)
        switch slot.kind {
        case .attribute:
          let stored = try ValueRows.stored(value, slot, in: id.layout)
          if !stored.isNull { values.append((slot.index, stored)) }
        case .composite:
          values += try ValueRows.stored(elementsOf: value, slot, in: id.layout)
            .filter { !$0.value.isNull }
        case .toOne:
          guard let value, !(value is NSNull) else { continue }
          values.append((slot.index, .reference(try self.id(value, slot, of: id))))
        case .toMany:
          guard let value, !(value is NSNull) else { continue }
          let keys = try members(value, slot, of: id)
          if keys.isEmpty { continue }
          changes.links.append(
            ChangeSet.Link(
              layout: id.layout, slot: slot.index, key: id.key, added: keys, removed: [],
              order: slot.relationship?.isOrdered == true ? keys : nil))
        case .fetched: break
        }
      }
      changes.inserted.append(id.layout, key: id.key, values)
    }
    return changes
  }

  private func id(
    _ value: Any, _ slot: PropertySlot, of owner: NSManagedObjectID
  ) throws -> NSManagedObjectID {
    let destination = slot.relationship?.destination
    func unexpected(_ found: String) -> NSError {
      CoreDataError.make(
        NSPersistentStoreOperationError,
        "the node of \(owner) has \(found) for the relationship \(owner.layout.name).\(slot.name),"
          + " which requires nodes of \(destination?.name ?? "an entity")")
    }
    guard let id = (value as? NSAtomicStoreCacheNode)?.objectID ?? value as? NSManagedObjectID
    else { throw unexpected("\(type(of: value))") }
    guard let destination, id.layout.isKind(of: destination) else {
      throw unexpected("a node of \(id.layout.name)")
    }
    return id
  }

  private func members(
    _ value: Any, _ slot: PropertySlot, of owner: NSManagedObjectID
  ) throws -> [Int64] {
    let list: [Any] =
      switch value {
      case let set as NSSet: set.allObjects
      case let set as NSOrderedSet: set.array
      case let array as [Any]: array
      default: [value]
      }
    return try list.map { try id($0, slot, of: owner).key }
  }
}
