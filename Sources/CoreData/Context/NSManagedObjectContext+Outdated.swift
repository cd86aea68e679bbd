// Finds outdated objects by comparing them with their stores, when it is unknown which rows changed.

extension NSManagedObjectContext {
  /// Returns the IDs of the objects in use that differ from their stores: their rows have another
  /// version or are gone, or their members have changed since they were read.
  ///
  /// Runs a few queries for each entity in use. They read only keys and versions, except for entities with attributes
  /// that triggers derive, whose rows they read whole. Ignores objects of stores whose rows have no versions.
  func outdatedObjects(in origins: [StoreOrigin]) -> ChangedObjectIDs {
    outdatedObjects { object in origins.contains { $0 === object.origin } }
  }

  /// Returns the outdated objects among those in use that satisfy a condition.
  func outdatedObjects(where isCompared: (NSManagedObject) -> Bool) -> ChangedObjectIDs {
    var found = ChangedObjectIDs()
    // A new object may have a permanent key already. Its missing row does not mean that it was deleted.
    let objects = registry.objects.filter { object in
      object.key > 0 && !object.flags.contains(.inserted) && isCompared(object)
    }
    let groups = Dictionary(grouping: objects) {
      [ObjectIdentifier($0.origin), ObjectIdentifier($0.layout.root)]
    }
    for group in groups.values {
      do {
        // A table that cannot be read must not keep the others from being compared.
        try compare(group, &found)
      } catch {
        Log.contextNotice(
          "cannot check whether objects of \(group[0].layout.root.name) are outdated:"
            + " \(error.localizedDescription)")
      }
    }
    return found
  }

  /// Compares objects of one table of one store.
  private func compare(_ objects: [NSManagedObject], _ found: inout ChangedObjectIDs) throws {
    guard let store = objects[0].origin.store,
      let engine = try engine(of: store) as? any VersionedEngine
    else { return }
    let root = objects[0].layout.root
    var versions: [Int64: Int32] = [:]
    versions.reserveCapacity(objects.count)
    try readVersions(of: objects.map(\.key), in: root, from: engine) { versions[$0] = $1 }
    var same: [NSManagedObject] = []
    for object in objects {
      let wasMissing = isMissing(object)
      guard let version = versions[object.key] else {
        if !wasMissing { found.deleted.append(object.ownID) }
        continue
      }
      // Another save may have inserted the deleted row again.
      if wasMissing || object.snapshot.isPresent && object.snapshot.version != version {
        found.updated.append(object.ownID)
      } else {
        same.append(object)
      }
    }
    let changed = try withChangedMembers(same).union(withChangedDerivedValues(same, in: store))
    found.updated += same.filter { changed.contains(ObjectIdentifier($0)) }.map(\.ownID)
  }

  /// Looks up any number of keys in a table, and calls `body` with the key and the version of each row that exists.
  func readVersions(
    of keys: [Int64], in root: EntityLayout, from engine: any VersionedEngine,
    _ body: (_ key: Int64, _ version: Int32) -> Void
  ) throws {
    for start in stride(from: 0, to: keys.count, by: Self.comparedTogether) {
      let part = keys[start..<min(start + Self.comparedTogether, keys.count)]
      try engine.versions(of: Array(part), in: root, body)
    }
  }

  private static let comparedTogether = 8_192

  /// Returns the objects whose derived values have changed while their versions have not.
  private func withChangedDerivedValues(
    _ objects: [NSManagedObject], in store: NSPersistentStore
  ) throws -> Set<ObjectIdentifier> {
    // Triggers that derive attributes leave the version as it is, so the values are compared.
    let derived = objects.filter { $0.layout.hasDerivedAttributes && $0.snapshot.isPresent }
    if derived.isEmpty { return [] }
    let rows = try presentRows(of: derived, in: store)
    return Set(
      derived.filter { object in
        guard let row = rows[ObjectIdentifier(object)] else { return false }
        return object.layout.slots.contains { slot in
          slot.kind != .toMany && !slot.isTransient
            && row.value(of: slot, in: object.layout, origin: object.origin)
              != object.snapshot.value(of: slot, in: object.layout, origin: object.origin)
        }
      }.map(ObjectIdentifier.init))
  }

  /// Returns the objects with a relationship whose members have changed since they were read.
  private func withChangedMembers(_ objects: [NSManagedObject]) throws -> Set<ObjectIdentifier> {
    var changed: Set<ObjectIdentifier> = []
    for group in Dictionary(grouping: objects, by: { ObjectIdentifier($0.layout) }).values {
      // A save that changes only members may leave the owner's version as it is.
      for slot in group[0].layout.toManySlots {
        let owners = group.filter { $0.readContent(slot) != nil }
        for start in stride(from: 0, to: owners.count, by: RowBatch.maximumCount) {
          let part = Array(owners[start..<min(start + RowBatch.maximumCount, owners.count)])
          for (owner, runs) in zip(part, try readMemberRuns(of: slot, owners: part))
          where owner.readContent(slot)?.differs(from: runs) == true {
            changed.insert(ObjectIdentifier(owner))
          }
        }
      }
    }
    return changed
  }
}

extension NSManagedObject {
  /// Returns the content of a to-many relationship if its members were read.
  func readContent(_ slot: Int) -> ToManyContent? {
    if case .toMany(let content) = content(slot), content.isRead { content } else { nil }
  }
}

extension ToManyContent {
  /// Returns whether the members differ from the stored ones, apart from unsaved changes.
  func differs(from runs: RowKeyRuns) -> Bool {
    let stored = runs.runs.flatMap { run in
      run.rows.map { RowKey($0.layout, $0.key, run.origin) }
    }
    let read = objects.map(RowKey.init)
    // With unsaved changes the order is this context's own, so only the members are compared.
    if isOrdered, !isChanged { return stored != read }
    var present = Set(stored)
    for object in removed {
      present.remove(RowKey(object))
    }
    for object in added {
      present.insert(RowKey(object))
    }
    return present != Set(read)
  }
}
