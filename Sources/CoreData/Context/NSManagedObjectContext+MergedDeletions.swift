// A merge may come late: since the deletion that it names, a merge policy, an undo or another save may have written the
// row again. So each merge asks whether the rows are gone.

/// What the deletions of another context's save are for a context.
struct MergedDeletions {
  /// Objects in use whose rows are gone.
  var gone: [NSManagedObject] = []
  /// Objects in use whose rows are there again, and are not as these objects have them.
  var changed: [NSManagedObject] = []
}

extension NSManagedObjectContext {
  /// Finds out what has become of rows that another context deleted, with one query for each table in use.
  ///
  /// Rows of which no object is in use leave no trace in the context; live results that show them by their IDs alone,
  /// or rows that refer to them, are notified.
  func deletions(of ids: [NSManagedObjectID]) -> MergedDeletions {
    var known: [NSManagedObject] = []
    var unseen: [NSManagedObjectID] = []
    let isObserved = !announcing.observers.isEmpty
    for id in ids {
      if let object = registeredObject(for: id) {
        // An undo has it inserted again: what was deleted is its former row.
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

  /// Has observers know of an object that another context saved.
  func noteChanged(_ object: NSManagedObject) {
    if isMissing(object) {
      // Reported as inserted if its row is found.
      pending.noteMerge(of: object)
    } else if !object.isFault || object.flags.contains(.updated) {
      pending.refresh(object)
      pending.noteMerge(of: object)
    } else {
      pending.noteOutdated(object)
    }
  }

  /// The rows that the context's source has now for objects. Where it cannot be asked, none.
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
      Log.contextNotice(
        "whether deleted objects are there again cannot be read: \(error.localizedDescription)")
      return [:]
    }
  }

  /// Has live results drop rows that they show without an object, and rows that depend on deleted ones.
  private func notifyObservers(ofUnseen ids: [NSManagedObjectID]) {
    if ids.isEmpty { return }
    let placeholders = ids.map(makePlaceholder)
    // Only a row that is shown can be missed.
    let present = existingRows(of: announcing.observers.shown(among: placeholders))
    for object in placeholders {
      if present[ObjectIdentifier(object)] == nil {
        pending.noteUnseenDeletions([object])
      } else {
        pending.noteOutdated(self.object(with: object.objectID))
      }
    }
  }
}

extension NSManagedObject {
  /// Whether a store of the program's own returned a node that has no values. Some stores do so for any ID instead of
  /// looking whether they have such an object.
  fileprivate func isEmptyNode(_ row: RowSnapshot) -> Bool {
    guard origin.store?.engine.readsRowsTogether == false else { return false }
    return layout.slots.allSatisfy { slot in
      slot.kind == .toMany || slot.isTransient
        || row.value(of: slot, in: layout, origin: origin) == .null
    }
  }

  /// Whether the object was read from a row that is as another one. A row that an undo has inserted again begins with
  /// the first version, so versions alone do not tell.
  fileprivate func hasRow(_ row: RowSnapshot) -> Bool {
    guard snapshot.isPresent, snapshot.version == row.version else { return false }
    return layout.slots.allSatisfy { slot in
      slot.kind == .toMany || slot.isTransient
        || row.value(of: slot, in: layout, origin: origin)
          == snapshot.value(of: slot, in: layout, origin: origin)
    }
  }
}
