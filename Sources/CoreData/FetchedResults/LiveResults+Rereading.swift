// Rows changed in the stores and nobody says which: another process saved, or a batch request wrote
// very many rows.

extension LiveResults {
  /// Reads the keys and sort values of all rows anew and compares them with what is shown; no object
  /// is made that the results do not hold.
  ///
  /// One query, and O(n) for n rows. A row whose version is another one counts as changed.
  ///
  /// - Parameters:
  ///   - changes: what is known to have changed in the context.
  ///   - missed: rows that may have changed before that, without a trace in the store.
  func reread(_ changes: ObjectChanges, missed: Set<RowKey> = []) throws -> ResultsDelta {
    context.adoptPermanentIDs()
    return try keepingKeys { try rereadDelta(changes, missed) }
  }

  private func rereadDelta(_ changes: ObjectChanges, _ missed: Set<RowKey>) throws -> ResultsDelta {
    try nameSavedObjects()
    let (fresh, adopted) = try context.trackingPermanentIDs { try freshTree(isReading: false) }
    // The rows that are shown have their new IDs before they are compared by them.
    fresh.adopt(adopted)
    tree.adopt(adopted)
    var changed = missed
    for list in [changes.inserted, changes.updated, changes.deleted] {
      for object in list { changed.insert(RowKey(object)) }
    }
    var recorder = DeltaRecorder(results: self)
    var outrun: [NSManagedObject] = []
    fresh.forEachLocation(in: 0..<fresh.count) { location in
      let new = fresh.entry(at: location)
      guard let old = tree.location(ofKey: new.key, new.origin) else {
        recorder.changes(new.object, old: nil, new: fresh.row(at: location), isChanged: true)
        return
      }
      let entry = tree.entry(at: old)
      let isNamed = changed.contains(new.rowKey)
      let isChanged = isNamed || new.version != entry.version
      let outrunObject = isNamed ? nil : outrunObject(of: entry, by: new)
      let stays =
        entry.section == new.section && !misplaced.contains(new.rowKey)
        && location.withSortKey { tree.hasSortKey($0, at: old) }
      if stays {
        if outrunObject != nil {
          // The merge to come reports it.
          fresh.setVersion(entry.version, at: location)
        } else if isChanged {
          recorder.stays(new.object, entry)
        }
      } else {
        if let outrunObject { outrun.append(outrunObject) }
        recorder.changes(
          new.object, old: tree.row(at: old), new: fresh.row(at: location), isChanged: isChanged)
      }
    }
    tree.forEachLocation(in: 0..<tree.count) { location in
      let old = tree.entry(at: location)
      if fresh.location(ofKey: old.key, old.origin) != nil { return }
      recorder.changes(
        findRegistered(of: old), old: tree.row(at: location), new: nil, isChanged: true)
    }
    misplaced = []
    let delta = recorder.delta(replacing: fresh)
    // Those that are told of a move are to find the values that it goes by.
    if !outrun.isEmpty { context.mergeSaved(ChangedObjectIDs(updated: outrun.map(\.objectID))) }
    return delta
  }

  /// Whether rows may be shown whose objects were never saved: a child's may be the parent's.
  var mayHaveUnsavedRows: Bool {
    context.isChild
      || context.unsaved.inserted.contains {
        members.covers($0.layout) && tree.location(ofKey: $0.primaryKey, $0.origin) != nil
      }
  }

  /// Gives rows their new IDs without moving them; the order that goes with the IDs comes with the next fetch.
  func assignPermanentIDs(_ objects: [IdentifiedObject]) -> ResultsDelta {
    examined = (0, false)
    if putOff(objects) { return ResultsDelta() }
    for (object, temporary) in objects where members.covers(object.layout) {
      guard let location = tree.location(ofKey: temporary, .temporary) else { continue }
      tree.setKey(object.primaryKey, object.origin, at: location)
      misplaced.insert(RowKey(object))
    }
    return ResultsDelta()
  }

  /// The object of a row, if it is as the row was: somebody saved after the objects in use were compared
  /// with the store, and a merge that will say so is on its way.
  private func outrunObject(of old: ResultEntry, by new: ResultEntry) -> NSManagedObject? {
    guard new.version != old.version,
      let object = findRegistered(of: old),
      object.snapshot.isPresent, object.snapshot.version != new.version
    else { return nil }
    return object
  }
}

extension ResultsTree {
  /// Gives rows that were read before their objects were saved the IDs that these have now.
  func adopt(_ assignments: [PermanentIDAssignment]) {
    for assignment in assignments {
      if let location = location(ofKey: assignment.temporary, .temporary) {
        setKey(assignment.key, assignment.origin, at: location)
      }
    }
  }
}
