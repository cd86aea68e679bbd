extension NSManagedObjectContext {
  /// Returns which of some rows the context's source has now: the stores, or the parent with its unsaved changes. Reads
  /// the rows of each table together; in a SQLite store, it reads only their keys and versions.
  ///
  /// A store that reads row by row is not queried: all of its rows count as present.
  func sourceRows(among ids: [NSManagedObjectID]) throws -> Set<RowKey> {
    if let parent { return try parent.serve(self) { try parent.ownRows(among: ids) } }
    var rows: Set<RowKey> = []
    let tables = Dictionary(grouping: ids) {
      [ObjectIdentifier($0.origin), ObjectIdentifier($0.layout.root)]
    }
    for ids in tables.values {
      let (root, origin) = (ids[0].layout.root, ids[0].origin)
      guard let store = origin.store else { continue }
      try readPresentKeys(ids.map(\.key), of: root, in: try engine(of: store)) {
        rows.insert(RowKey(root, $0, origin))
      }
    }
    return rows
  }

  /// Returns which of some rows this context has, including unsaved changes. Call it on this context's queue.
  private func ownRows(among ids: [NSManagedObjectID]) throws -> Set<RowKey> {
    var rows: Set<RowKey> = []
    // The ID that the child knows, and the current one: the object of a temporary ID may have been saved meanwhile.
    var unread: [(id: NSManagedObjectID, current: NSManagedObjectID)] = []
    for id in ids {
      let current = currentID(of: id)
      guard let object = registry[current.layout, current.key, current.origin],
        object.snapshot.isPresent || !object.flags.isDisjoint(with: [.inserted, .deleted])
      else {
        unread.append((id, current))
        continue
      }
      if object.existsHere { rows.insert(RowKey(id.layout, id.key, id.origin)) }
    }
    if unread.isEmpty { return rows }
    let present = try sourceRows(among: unread.map(\.current))
    for (id, current) in unread
    where present.contains(RowKey(current.layout, current.key, current.origin)) {
      rows.insert(RowKey(id.layout, id.key, id.origin))
    }
    return rows
  }

  /// Calls `body` with those of some keys for which a table has a row.
  private func readPresentKeys(
    _ keys: [Int64], of root: EntityLayout, in engine: any StoreEngine, _ body: (Int64) -> Void
  ) throws {
    if !engine.readsRowsTogether { return keys.forEach(body) }
    if let engine = engine as? any VersionedEngine {
      return try readVersions(of: keys, in: root, from: engine) { key, _ in body(key) }
    }
    try engine.rows(keys, of: root) { batch in
      for row in 0..<batch.count { body(batch.key(row)) }
    }
  }

  /// Reads the current rows of objects in a store, even if the objects have rows already. Runs one query
  /// for each table, or one for each object if the store does not read rows together.
  func presentRows(
    of objects: [NSManagedObject], in store: NSPersistentStore
  ) throws -> [ObjectIdentifier: RowSnapshot] {
    var rows: [ObjectIdentifier: RowSnapshot] = [:]
    let engine = try engine(of: store)
    for group in Dictionary(grouping: objects, by: { $0.layout.root.index }).values {
      var byKey: [Int64: NSManagedObject] = [:]
      for object in group { byKey[object.key] = object }
      let keys = byKey.keys.sorted()
      func read(_ keys: [Int64]) throws {
        try engine.rows(keys, of: group[0].layout.root) { batch in
          for row in 0..<batch.count {
            if let object = byKey[batch.key(row)] {
              rows[ObjectIdentifier(object)] = .row(batch, Int32(row))
            }
          }
        }
      }
      if engine.readsRowsTogether {
        try read(keys)
      } else {
        // A custom store throws for each missing row.
        for key in keys {
          do { try read([key]) } catch let error where CoreDataError.isRowGone(error) {}
        }
      }
    }
    return rows
  }

  /// Reads the current row of an object in its store; `none` if it is gone or the store is not open.
  func presentRow(of object: NSManagedObject) throws -> RowSnapshot {
    guard let store = object.origin.store else { return .none }
    return try presentRows(of: [object], in: store)[ObjectIdentifier(object)] ?? .none
  }

  /// Reads the rows of objects that have none yet. Objects whose rows are gone get none, even if a
  /// custom store throws an error for them.
  func readExistingRows(of objects: [NSManagedObject]) throws {
    do {
      try readRows(of: objects)
    } catch let error where CoreDataError.isRowGone(error) {
      for object in objects {
        do { try readRows(of: [object]) } catch let error where CoreDataError.isRowGone(error) {}
      }
    }
  }
}
