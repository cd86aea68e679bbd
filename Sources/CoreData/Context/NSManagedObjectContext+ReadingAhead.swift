// Reading for many objects at once what they would read one by one.

extension NSManagedObjectContext {
  /// A property, and the objects of an entity that have it.
  struct OwnedSlot {
    let property: PropertySlot
    let owners: [NSManagedObject]
  }

  /// The relationships of some objects, each with those that have it, entity by entity.
  func relationshipSlots(of objects: [NSManagedObject]) -> [OwnedSlot] {
    var places: [ObjectIdentifier: Int] = [:]
    var groups: [[NSManagedObject]] = []
    var last: (layout: EntityLayout, place: Int)?
    for object in objects {
      // Objects of one entity mostly come one after the other.
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

  /// Reads the rows of faults, a batch a query.
  func readRows(together objects: [NSManagedObject]) throws {
    if objects.count <= RowBatch.maximumCount { return try readRows(of: objects) }
    for part in objects.chunks { try readRows(of: Array(part)) }
  }

  /// Reads the members of a to-many relationship for the objects that have not read them, a query
  /// for many of them.
  ///
  /// - Parameter owners: objects whose rows are in memory, or that have none.
  /// - Returns: the members of all of them.
  @discardableResult
  func readMembers(of slot: PropertySlot, owners: [NSManagedObject]) throws -> [NSManagedObject] {
    for part in unread(slot, of: owners).chunks {
      try readMemberNames(of: slot, owners: Array(part))
    }
    return owners.flatMap { owner -> [NSManagedObject] in
      let content = owner.unreadContent(slot.index)
      content.makeMembers(in: self)
      return content.isRead ? content.objects : []
    }
  }

  /// Reads members as `readMembers(of:owners:)` does, and their rows with them where the source gives
  /// both at once: the objects of these are made when somebody asks for them.
  ///
  /// - Returns: the members whose rows may not have been read.
  func readMembersAndRows(
    of slot: PropertySlot, owners: [NSManagedObject]
  ) throws -> [NSManagedObject] {
    var withoutRows: [NSManagedObject] = []
    for part in unread(slot, of: owners).chunks {
      let part = Array(part)
      guard let lists = try source?.readMemberRows(of: slot.index, owners: part, in: self)
      else {
        try readMemberNames(of: slot, owners: part)
        for owner in part { withoutRows += owner.unreadContent(slot.index).objects }
        continue
      }
      for (owner, rows) in zip(part, lists) {
        let content = owner.unreadContent(slot.index)
        content.setStoredRows(rows)
        // Faults that are in use are to have their rows.
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
    owners.filter { $0.snapshot.isPresent && !$0.unreadContent(slot.index).isLoaded }
  }

  /// Reads the members of relationships that changed here under the changes, where some were added: whom
  /// the store has too is no change any more.
  func readMembersUnderAdded(of objects: [NSManagedObject]) throws {
    for (_, objects) in Dictionary(grouping: objects, by: { ObjectIdentifier($0.layout) }) {
      for slot in objects[0].layout.toManySlots {
        let owners = objects.filter { object in
          guard case .toMany(let members) = object.content(slot) else { return false }
          return !members.isRead && !members.added.isEmpty && object.snapshot.isPresent
        }
        if !owners.isEmpty {
          try readMemberNames(of: objects[0].layout.slots[slot], owners: owners)
        }
      }
    }
  }

  private func readMemberNames(of slot: PropertySlot, owners: [NSManagedObject]) throws {
    guard let destination = slot.relationship?.destination else { return }
    let runs = try readMemberRuns(of: slot.index, owners: owners)
    for (owner, run) in zip(owners, runs) {
      owner.unreadContent(slot.index).setStored(
        faults(run, of: destination).filter { !$0.isDeletedForGood })
    }
  }
}

extension Array {
  /// Parts of as many elements as a batch has rows.
  fileprivate var chunks: [ArraySlice<Element>] {
    stride(from: 0, to: count, by: RowBatch.maximumCount).map {
      self[$0..<Swift.min($0 + RowBatch.maximumCount, count)]
    }
  }
}
