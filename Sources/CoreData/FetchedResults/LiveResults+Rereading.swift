// Live results are reread if they missed changes, or if it is unknown which rows have changed in the stores: another
// process saved, or a batch request changed very many rows or deleted rows to which others may have referred.

extension LiveResults {
  /// Rereads the keys and sort values of all rows and compares them with the current rows. It creates objects only if
  /// the results keep them or compute section names from them.
  ///
  /// Executes one query for each store. Takes O(n) time for n rows, or O(n log n) if the stores do not return them in a
  /// single order. A row whose version differs counts as changed.
  ///
  /// - Parameters:
  ///   - changes: The changes that the context knows of.
  ///   - missed: Rows that may have changed earlier although their versions in the store are the same.
  func reread(_ changes: ObjectChanges, missed: Set<RowKey> = []) throws -> ResultsDelta {
    context.adoptPermanentIDs()
    return try keepingKeys { try rereadDelta(changes, missed) }
  }

  private func rereadDelta(_ changes: ObjectChanges, _ missed: Set<RowKey>) throws -> ResultsDelta {
    try rebindSavedObjects()
    let (fresh, adopted) = try context.trackingPermanentIDs { try freshTree(isReading: false) }
    // Both trees must use the new IDs before their rows are compared.
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
        recorder.recordChange(new.object, old: nil, new: fresh.row(at: location), isChanged: true)
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
          // The pending merge reports this change.
          fresh.setVersion(entry.version, at: location)
        } else if isChanged {
          recorder.recordUnmoved(new.object, entry)
        }
      } else {
        if let outrunObject { outrun.append(outrunObject) }
        recorder.recordChange(
          new.object, old: tree.row(at: old), new: fresh.row(at: location), isChanged: isChanged)
      }
    }
    tree.forEachLocation(in: 0..<tree.count) { location in
      let old = tree.entry(at: location)
      if fresh.location(ofKey: old.key, old.origin) != nil { return }
      recorder.recordChange(
        findRegistered(of: old), old: tree.row(at: location), new: nil, isChanged: true)
    }
    // All rows of the fresh tree are in the order of their current IDs.
    misplaced = []
    let delta = recorder.delta(replacing: fresh)
    // Observers of a move must find the values that caused it.
    if !outrun.isEmpty { context.mergeSaved(ChangedObjectIDs(updated: outrun.map(\.ownID))) }
    return delta
  }

  /// Whether there may be rows of objects that were never saved. Always true in a child context, because the parent may
  /// have such objects.
  var mayHaveUnsavedRows: Bool {
    context.isChild
      || context.unsaved.inserted.contains {
        members.covers($0.layout) && tree.location(ofKey: $0.primaryKey, $0.origin) != nil
      }
  }

  /// Assigns new IDs to rows without moving them. The next fetch or change to these rows moves them.
  func assignPermanentIDs(_ objects: [IdentifiedObject]) -> ResultsDelta {
    examined = (0, false)
    if deferAssignment(of: objects) { return ResultsDelta() }
    for (object, temporary) in objects where members.covers(object.layout) {
      guard let location = tree.location(ofKey: temporary, .temporary) else { continue }
      tree.setKey(object.primaryKey, object.origin, at: location)
      misplaced.insert(RowKey(object))
    }
    return ResultsDelta()
  }

  /// Returns the object of a row if it still has the row's former values. In that case another process or context saved
  /// after the context compared its objects with the store, and the merge of that save is still pending.
  private func outrunObject(of old: ResultEntry, by new: ResultEntry) -> NSManagedObject? {
    guard new.version != old.version,
      let object = findRegistered(of: old),
      object.snapshot.isPresent, object.snapshot.version != new.version
    else { return nil }
    return object
  }
}

extension ResultsTree {
  /// Assigns permanent IDs to rows that were read before their objects were saved.
  func adopt(_ assignments: [PermanentIDAssignment]) {
    for assignment in assignments {
      if let location = location(ofKey: assignment.temporary, .temporary) {
        setKey(assignment.key, assignment.origin, at: location)
      }
    }
  }
}
