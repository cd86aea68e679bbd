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
    let fresh = try freshTree(isReading: false)
    let changed = Set((changes.inserted + changes.updated + changes.deleted).map(RowKey.init))
    var recorder = DeltaRecorder(results: self)
    var outrun: [NSManagedObject] = []
    fresh.forEachPlace(in: 0..<fresh.count) { place in
      let new = fresh.entry(place)
      guard let old = tree.place(ofKey: new.key, new.origin) else {
        recorder.changes(new.object, old: nil, new: fresh.row(place), isChanged: true)
        return
      }
      let entry = tree.entry(old)
      let isNamed = changed.contains(new.name)
      let isChanged = isNamed || new.version != entry.version
      let outrunObject = isNamed ? nil : outrunObject(of: entry, by: new)
      let isSamePlace =
        entry.section == new.section
        && place.leaf.withSortKey(place.index) { tree.isSamePlace(old, $0) }
      if isSamePlace {
        if outrunObject != nil {
          // The merge to come reports it.
          fresh.setVersion(place, entry.version)
        } else if isChanged {
          recorder.stays(entry.object, entry)
        }
      } else {
        if let outrunObject { outrun.append(outrunObject) }
        recorder.changes(
          new.object, old: tree.row(old), new: fresh.row(place), isChanged: isChanged)
      }
    }
    tree.forEachPlace(in: 0..<tree.count) { place in
      let old = tree.entry(place)
      if fresh.place(ofKey: old.key, old.origin) != nil { return }
      recorder.changes(
        old.object ?? context.registeredObject(for: old.id), old: tree.row(place), new: nil,
        isChanged: true)
    }
    // Those that are told of a move are to find the values that it goes by.
    if !outrun.isEmpty { context.takeOver(SavedIDs(updated: outrun.map(\.objectID))) }
    return recorder.delta(replacing: fresh)
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
}
