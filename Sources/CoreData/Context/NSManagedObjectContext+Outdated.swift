// Rows changed in stores, and nobody says which: the objects in use are compared with them.

extension NSManagedObjectContext {
  /// The objects in use that are not as the stores have them now: whose rows have another version or
  /// are gone, and those with other members than were read.
  ///
  /// A few queries for each entity in use; only keys and versions are read, and whole rows where
  /// attributes are derived by triggers, which leave the version as it is.
  func outdatedObjects(in origins: [StoreOrigin]) -> ChangedObjectIDs {
    outdatedObjects { object in origins.contains { $0 === object.origin } }
  }

  /// Those of some of the objects in use.
  func outdatedObjects(where isAsked: (NSManagedObject) -> Bool) -> ChangedObjectIDs {
    var found = ChangedObjectIDs()
    // A new object may have its key already; that it has no row does not mean that it was deleted.
    let objects = registry.objects.filter { object in
      object.key > 0 && !object.flags.contains(.inserted) && isAsked(object)
    }
    let groups = Dictionary(grouping: objects) {
      [ObjectIdentifier($0.origin), ObjectIdentifier($0.layout.root)]
    }
    for group in groups.values {
      do {
        try compare(group, &found)
      } catch {
        Log.contextNotice(
          "\(group[0].layout.root.name) cannot be compared with its store:"
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
    let keys = objects.map(\.key)
    for start in stride(from: 0, to: keys.count, by: Self.comparedTogether) {
      let part = keys[start..<min(start + Self.comparedTogether, keys.count)]
      try engine.versions(of: Array(part), in: root) { versions[$0] = $1 }
    }
    var same: [NSManagedObject] = []
    for object in objects {
      let wasMissing = isMissing(object)
      guard let version = versions[object.key] else {
        if !wasMissing { found.deleted.append(object.objectID) }
        continue
      }
      // A row that was deleted may be there again.
      if wasMissing || object.snapshot.isPresent && object.snapshot.version != version {
        found.updated.append(object.objectID)
      } else {
        same.append(object)
      }
    }
    let changed = try withOtherMembers(same).union(withOtherDerivedValues(same, in: store))
    found.updated += same.filter { changed.contains(ObjectIdentifier($0)) }.map(\.objectID)
  }

  private static let comparedTogether = 8_192

  /// Objects whose rows have other values without another version.
  private func withOtherDerivedValues(
    _ objects: [NSManagedObject], in store: NSPersistentStore
  ) throws -> Set<ObjectIdentifier> {
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

  /// Objects of whose relationships members were read that are not those of now.
  ///
  /// A save that changes members only need not give the owner another version.
  private func withOtherMembers(_ objects: [NSManagedObject]) throws -> Set<ObjectIdentifier> {
    var changed: Set<ObjectIdentifier> = []
    for group in Dictionary(grouping: objects, by: { ObjectIdentifier($0.layout) }).values {
      for slot in group[0].layout.toManySlots {
        let owners = group.filter { $0.readContent(slot) != nil }
        for start in stride(from: 0, to: owners.count, by: RowBatch.maximumCount) {
          let part = Array(owners[start..<min(start + RowBatch.maximumCount, owners.count)])
          for (owner, runs) in zip(part, try readMemberRuns(of: slot, owners: part))
          where owner.readContent(slot)?.isOther(than: runs) == true {
            changed.insert(ObjectIdentifier(owner))
          }
        }
      }
    }
    return changed
  }
}

extension NSManagedObject {
  /// The members of a to-many relationship, if they were read.
  func readContent(_ slot: Int) -> ToManyContent? {
    if case .toMany(let content) = content(slot), content.isRead { content } else { nil }
  }
}

extension ToManyContent {
  /// Whether the members that were read are not those of the store, apart from what was changed here.
  func isOther(than runs: RowKeyRuns) -> Bool {
    let stored = runs.runs.flatMap { run in
      run.rows.map { RowKey($0.layout, $0.key, run.origin) }
    }
    let read = objects.map(RowKey.init)
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
