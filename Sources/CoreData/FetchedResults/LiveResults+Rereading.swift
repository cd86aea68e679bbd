import Foundation

// Rows changed in the stores and nobody says which: another process saved, or a batch request wrote
// very many rows.

extension LiveResults {
  /// Reads the keys and sort values of all rows anew and compares them with what is shown; no object
  /// is made that the results do not hold.
  ///
  /// One query, and O(n) for n rows. A row whose version is another one counts as changed.
  ///
  /// - Parameter changes: what is known to have changed in the context.
  func reread(_ changes: ObjectChanges) throws -> ResultsDelta {
    guard let source = context.source else { throw context.noCoordinator }
    let overlay = try context.overlay(plan)
    let stores = source.rootCoordinator?.persistentStores ?? []
    var rows =
      try needsObjects
      ? rowsWithObjects(source, stores, overlay) : keyRows(source, stores, overlay)
    try finish(&rows, overlay, source, stores)
    let changed = Set(
      (changes.inserted + changes.updated + changes.deleted).map {
        RowKey($0.layout, $0.identifiedKey, $0.origin)
      })

    var recorder = DeltaRecorder(results: self)
    var outrun: [NSManagedObject] = []
    var present: Set<RowKey> = []
    present.reserveCapacity(rows.count)
    for index in rows.indices {
      let new = rows[index]
      let key = RowKey(new)
      present.insert(key)
      guard let old = entries[key] else {
        recorder.changes(new.object, old: nil, new: new, isChanged: true)
        continue
      }
      let isNamed = changed.contains(key)
      let isChanged = isNamed || new.version != old.version
      let outrunObject = isNamed ? nil : outrunObject(of: old, by: new)
      if new.section == old.section, isSamePlace(old.values, new.values) {
        rows[index] = old
        // The merge to come reports it.
        if outrunObject != nil { continue }
        old.version = new.version
        if isChanged { recorder.stays(old.object, old) }
      } else {
        old.version = new.version
        if let outrunObject { outrun.append(outrunObject) }
        recorder.changes(new.object, old: old, new: new, isChanged: isChanged)
      }
    }
    for (key, old) in entries where !present.contains(key) {
      recorder.changes(
        old.object ?? context.registeredObject(for: old.id), old: old, new: nil, isChanged: true)
    }
    if recorder.isEmpty { return ResultsDelta() }
    // Those that are told of a move are to find the values that it goes by.
    if !outrun.isEmpty { context.takeOver(SavedIDs(updated: outrun.map(\.objectID))) }
    recorder.willChange()
    take(rows)
    return recorder.delta()
  }

  /// The object of a row, if it is as the row was: somebody saved after the objects in use were compared
  /// with the store, and a merge that will say so is on its way.
  private func outrunObject(of old: ResultEntry, by new: ResultEntry) -> NSManagedObject? {
    guard new.version != old.version,
      let object = old.object ?? context.registeredObject(for: old.id),
      object.snapshot.isPresent, object.snapshot.version != new.version
    else { return nil }
    return object
  }

  /// The rows of the stores with their objects; those that are new are read together when one of them is
  /// needed.
  private func rowsWithObjects(
    _ source: any ObjectSource, _ stores: [NSPersistentStore], _ overlay: FetchOverlay
  ) throws -> [ResultEntry] {
    var rows: [RowKeys] = []
    try forEachStoredRow(source, stores, overlay) { rows.append($0) }
    return try zip(rows, context.faults(of: rows)).map { row, object in
      let name: String
      switch sections {
      case .none: name = ""
      case .stored(let path): name = SectionSource.name(of: row.values[row.values.count - 1], path)
      case .computed: name = try sections.name(of: object)
      }
      return entry(row, section: names.number(of: name), object: keepsObjects ? object : nil)
    }
  }

  private var needsObjects: Bool {
    if case .computed = sections { true } else { keepsObjects }
  }

  /// The context saved: the rows have the versions that it wrote.
  func noteVersions(_ saved: SavedObjects) {
    for object in saved.inserted + saved.updated where plan.covers(object.layout) {
      if let entry = entries[RowKey(object.layout, object.identifiedKey, object.origin)],
        object.snapshot.isPresent
      {
        entry.version = object.snapshot.version
      }
    }
  }
}

extension NSManagedObjectContext {
  /// Objects for rows, those of one store and table that are not in use in groups.
  func faults(of rows: [RowKeys]) -> [NSManagedObject] {
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(rows.count)
    var start = 0
    while start < rows.count {
      let first = rows[start]
      var end = start + 1
      while end < rows.count, rows[end].origin === first.origin,
        rows[end].layout.root === first.layout.root
      { end += 1 }
      objects += faults(
        rows[start..<end].map { ($0.key, $0.layout) }, of: first.layout.root, origin: first.origin)
      start = end
    }
    return objects
  }
}

extension NSManagedObject {
  /// Whether the row was looked for and is gone: somebody deleted it after what is being merged.
  var hasLostItsRow: Bool {
    flags.contains(.fault) && !flags.contains(.inserted) && key > 0 && !snapshot.isPresent
  }
}
