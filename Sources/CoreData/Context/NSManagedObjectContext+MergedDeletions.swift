// A merge may arrive late: after the deletion that it reports, a merge policy, an undo or another
// save may have written the row again, and another save may have deleted a row that was inserted or
// updated. So each merge checks whether the rows still exist.

/// The effect of another context's deletions on a context.
struct MergedDeletions {
  /// Objects in use whose rows no longer exist.
  var gone: [NSManagedObject] = []
  /// Objects in use whose rows exist again with values that differ from those of the objects.
  var changed: [NSManagedObject] = []
}

extension NSManagedObjectContext {
  /// Checks which rows that another context deleted still exist. Reads the rows of objects in use, those of each table
  /// together.
  ///
  /// Deleted rows without an object in use change nothing in the context. Live results are notified
  /// if they show such a row by its ID, or rows that refer to it.
  func deletions(of ids: [NSManagedObjectID]) -> MergedDeletions {
    var known: [NSManagedObject] = []
    var unseen: [NSManagedObjectID] = []
    let isObserved = !announcing.observers.isEmpty
    for id in ids {
      if let object = registeredObject(for: id) {
        // If the object was inserted again by an undo, the deletion concerns its former row.
        if !object.flags.contains(.inserted) { known.append(object) }
      } else if isObserved, source?.mayHaveRow(of: id, for: self) == true {
        unseen.append(id)
      }
    }
    notifyObservers(ofUnseen: unseen)
    return deletions(of: known)
  }

  private func deletions(of objects: [NSManagedObject]) -> MergedDeletions {
    var deletions = MergedDeletions()
    let rows = existingRows(of: objects)
    if rows.isEmpty {
      deletions.gone = objects
      return deletions
    }
    for object in objects {
      guard let row = rows[ObjectIdentifier(object)], !object.isEmptyNode(row) else {
        deletions.gone.append(object)
        continue
      }
      let isSame = !isChild && !isMissing(object) && object.hasRow(row)
      if !isSame {
        deletions.changed.append(object)
        noteChanged(object)
      }
    }
    return deletions
  }

  /// Records that another context saved an object, so that observers are notified.
  func noteChanged(_ object: NSManagedObject) {
    if isMissing(object) {
      // The object is reported as inserted if its row exists.
      pending.noteMerge(of: object)
    } else if !object.flags.contains(.fault) || object.flags.contains(.updated) {
      pending.refresh(object)
      pending.noteMerge(of: object)
    } else {
      pending.noteOutdated(object)
    }
  }

  /// Returns those inserted or updated rows that other saves deleted before the changes are merged. Reads the rows of
  /// each table together.
  func lostRows(among ids: [NSManagedObjectID]) -> [NSManagedObjectID] {
    if ids.isEmpty { return [] }
    do {
      let present = try sourceRows(among: ids)
      return ids.filter { !present.contains(RowKey($0.layout, $0.key, $0.origin)) }
    } catch {
      // If the source cannot be read, the rows count as present, as the merge says.
      Log.contextNotice(
        "cannot check whether inserted or updated rows still exist: \(error.localizedDescription)")
      return []
    }
  }

  /// Returns those updated rows that other saves have deleted since, among the rows that the context needs now: for
  /// unsaved changes, and for observers that cover the entity. Reads the rows of each table together.
  ///
  /// Any other object becomes a fault without a query: if it is read, and its row is gone, it counts as deleted.
  /// So does each object of a child, because the parent may undo a deletion that it has not saved. Live results remove
  /// the object if they find no row.
  func lostUpdates(among ids: [NSManagedObjectID]) -> [NSManagedObjectID] {
    let hasUpdates = !isChild && !unsaved.updated.isEmpty
    let observers = announcing.observers
    if !hasUpdates, observers.isEmpty { return [] }
    // Most rows are of a few entities, and there may be many observers.
    var covered: [Int: Bool] = [:]
    func areCovered(_ layout: EntityLayout) -> Bool {
      if let known = covered[layout.index] { return known }
      let isCovered = observers.cover(layout)
      covered[layout.index] = isCovered
      return isCovered
    }
    let needed = ids.filter { id in
      let isCovered = areCovered(id.layout)
      guard isCovered || hasUpdates else { return false }
      guard let object = registry[id.layout, id.key, id.origin] else { return isCovered }
      return !isChild && object.flags.isDisjoint(with: [.inserted, .deleted])
        && (isCovered || object.flags.contains(.updated))
    }
    return lostRows(among: needed)
  }

  /// Returns the rows that the context's source has now for objects; none if the source cannot be read.
  private func existingRows(of objects: [NSManagedObject]) -> [ObjectIdentifier: RowSnapshot] {
    if objects.isEmpty { return [:] }
    do {
      if let parent {
        return try parent.serve(self) { try parent.existingRows(of: objects, for: self) }
      }
      var rows: [ObjectIdentifier: RowSnapshot] = [:]
      for group in Dictionary(grouping: objects, by: { ObjectIdentifier($0.origin) }).values {
        guard let store = group[0].origin.store else { continue }
        rows.merge(try presentRows(of: group, in: store)) { $1 }
      }
      return rows
    } catch {
      // If the source cannot be read, the objects count as deleted, as the merge reports.
      Log.contextNotice(
        "cannot check whether rows of deleted objects exist again: \(error.localizedDescription)")
      return [:]
    }
  }

  /// Notifies live results of deleted rows without objects, so that they remove these rows and check
  /// rows that refer to them.
  private func notifyObservers(ofUnseen ids: [NSManagedObjectID]) {
    if ids.isEmpty { return }
    let placeholders = ids.map(makePlaceholder)
    // Only rows that are shown need the check.
    let present = existingRows(of: announcing.observers.shown(among: placeholders))
    for object in placeholders {
      if present[ObjectIdentifier(object)] == nil {
        pending.noteUnseenDeletions([object])
      } else {
        pending.noteOutdated(self.object(with: object.ownID))
      }
    }
  }
}

extension NSManagedObject {
  /// Returns whether a custom store returned a node without values.
  fileprivate func isEmptyNode(_ row: RowSnapshot) -> Bool {
    // Some stores return such a node for any ID instead of checking whether the object exists.
    guard origin.store?.engine.readsRowsTogether == false else { return false }
    return layout.slots.allSatisfy { slot in
      slot.kind == .toMany || slot.isTransient
        || row.value(of: slot, in: layout, origin: origin) == .null
    }
  }

  /// Returns whether the object was read from a row with the same values.
  fileprivate func hasRow(_ row: RowSnapshot) -> Bool {
    // Equal versions are not enough: a row that an undo has inserted again starts with the first
    // version.
    guard snapshot.isPresent, snapshot.version == row.version else { return false }
    return layout.slots.allSatisfy { slot in
      slot.kind == .toMany || slot.isTransient
        || row.value(of: slot, in: layout, origin: origin)
          == snapshot.value(of: slot, in: layout, origin: origin)
    }
  }
}
