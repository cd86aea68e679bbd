// Reads for many objects together what they would otherwise read one by one.

extension NSManagedObjectContext {
  /// A property, and the objects of one entity that have it.
  struct OwnedSlot {
    let property: PropertySlot
    let owners: [NSManagedObject]
  }

  /// Returns the relationships of some objects, each with the objects that have it, grouped by entity.
  func relationshipSlots(of objects: [NSManagedObject]) -> [OwnedSlot] {
    var places: [ObjectIdentifier: Int] = [:]
    var groups: [[NSManagedObject]] = []
    var last: (layout: EntityLayout, place: Int)?
    for object in objects {
      // Objects of one entity are usually adjacent.
      if let last, last.layout === object.layout {
        groups[last.place].append(object)
        continue
      }
      let place = places[ObjectIdentifier(object.layout)] ?? groups.count
      if place == groups.count { groups.append([]) }
      places[ObjectIdentifier(object.layout)] = place
      groups[place].append(object)
      last = (object.layout, place)
    }
    return groups.flatMap { owners in
      (owners[0].layout.toOneSlots + owners[0].layout.toManySlots).map {
        OwnedSlot(property: owners[0].layout.slots[$0], owners: owners)
      }
    }
  }

  /// Reads the rows of faults in batches, with one query for each table of a batch.
  func readRows(together objects: [NSManagedObject]) throws {
    if objects.count <= RowBatch.maximumCount { return try readRows(of: objects) }
    for part in objects.chunks { try readRows(of: Array(part)) }
  }

  /// Reads the members of a to-many relationship for those owners whose members have not been read.
  /// Executes one query for each batch.
  ///
  /// - Parameter owners: Objects whose rows are in memory, or that have no rows.
  /// - Returns: The members of all owners.
  @discardableResult
  func readMembers(of slot: PropertySlot, owners: [NSManagedObject]) throws -> [NSManagedObject] {
    for part in unread(slot, of: owners).chunks {
      try readMemberIDs(of: slot, owners: Array(part))
    }
    return owners.flatMap { owner -> [NSManagedObject] in
      let content = owner.unreadContent(slot.index)
      content.makeMembers(in: self)
      return content.isRead ? content.objects : []
    }
  }

  /// Reads members like `readMembers(of:owners:)`, together with their rows if the source can do
  /// both at once. Objects for such rows are made when the members are used.
  ///
  /// - Returns: The members whose rows may not have been read.
  func readMembersAndRows(
    of slot: PropertySlot, owners: [NSManagedObject]
  ) throws -> [NSManagedObject] {
    var withoutRows: [NSManagedObject] = []
    for part in unread(slot, of: owners).chunks {
      let part = Array(part)
      guard let lists = try source?.readMemberRows(of: slot.index, owners: part, in: self)
      else {
        try readMemberIDs(of: slot, owners: part)
        for owner in part { withoutRows += owner.unreadContent(slot.index).objects }
        continue
      }
      for (owner, rows) in zip(part, lists) {
        let content = owner.unreadContent(slot.index)
        content.setStoredRows(rows)
        // Faults that are in use must receive their rows.
        if retainsRegisteredObjects || hasObjects(of: rows) {
          content.makeMembers(in: self)
        } else {
          reading.readAhead(content)
        }
      }
    }
    return withoutRows
  }

  private func unread(_ slot: PropertySlot, of owners: [NSManagedObject]) -> [NSManagedObject] {
    // Objects without a row have no stored members.
    owners.filter { $0.snapshot.isPresent && !$0.unreadContent(slot.index).isLoaded }
  }

  /// Reads the stored members of relationships with added members.
  func readMembersUnderAdded(of objects: [NSManagedObject]) throws {
    for (_, objects) in Dictionary(grouping: objects, by: { ObjectIdentifier($0.layout) }) {
      for slot in objects[0].layout.toManySlots {
        let owners = objects.filter { object in
          guard case .toMany(let members) = object.content(slot) else { return false }
          // Only the stored members show which added members are changes and which are stored already.
          return !members.isRead && !members.added.isEmpty && object.snapshot.isPresent
        }
        if !owners.isEmpty {
          try readMemberIDs(of: objects[0].layout.slots[slot], owners: owners)
        }
      }
    }
  }

  private func readMemberIDs(of slot: PropertySlot, owners: [NSManagedObject]) throws {
    guard let destination = slot.relationship?.destination else { return }
    let runs = try readMemberRuns(of: slot.index, owners: owners)
    for (owner, run) in zip(owners, runs) {
      owner.unreadContent(slot.index).setStored(
        faults(run, of: destination).filter { !$0.isDeletedForGood })
    }
  }
}

extension Array {
  /// Slices of at most `RowBatch.maximumCount` elements.
  fileprivate var chunks: [ArraySlice<Element>] {
    stride(from: 0, to: count, by: RowBatch.maximumCount).map {
      self[$0..<Swift.min($0 + RowBatch.maximumCount, count)]
    }
  }
}
