extension NSManagedObjectContext {
  /// The rows that a store has now for objects, whatever the objects hold; one query for each table.
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
        // A store of the program's own says of each that it is gone.
        for key in keys {
          do { try read([key]) } catch let error where CoreDataError.isRowGone(error) {}
        }
      }
    }
    return rows
  }

  /// The row that the store has now for an object; `none` when it is gone.
  func presentRow(of object: NSManagedObject) throws -> RowSnapshot {
    guard let store = object.origin.store else { return .none }
    return try presentRows(of: [object], in: store)[ObjectIdentifier(object)] ?? .none
  }

  /// Puts their rows under objects that have none yet; those whose rows are gone stay without, also
  /// where a store of the program's own takes that for an error.
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
