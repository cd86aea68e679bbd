extension NSManagedObjectContext {
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

  /// Reads the current row of an object in its store; `none` if it is gone.
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
