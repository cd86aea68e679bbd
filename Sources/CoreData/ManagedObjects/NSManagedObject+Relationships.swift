import OrderedCollections

extension NSManagedObject {
  // MARK: Reading

  /// Returns the ID of a to-one relationship's destination without making an object of it.
  func toOneID(_ slot: Int) throws -> NSManagedObjectID? {
    try readRow()
    switch content(slot) {
    case .writtenObject(let object): return object?.ownID
    case .cachedObject(let object): return object.ownID
    default: break
    }
    guard case .reference(let id) = committedValue(layout.slots[slot]) else { return nil }
    return id
  }

  /// Returns the destination of a to-one relationship, as a fault if it is not in the context.
  func toOneObject(_ slot: Int) throws -> NSManagedObject? {
    try readRow()
    switch content(slot) {
    case .writtenObject(let object): return object
    // An object that has left the context is replaced with the row's present object.
    case .cachedObject(let object): if object.unsafeContext != nil { return object }
    default: break
    }
    guard case .reference(let id) = committedValue(layout.slots[slot]), let context = unsafeContext
    else { return nil }
    let object = context.object(of: id, declared: layout.slots[slot].relationship?.destination)
    setContent(slot, .cachedObject(object))
    return object
  }

  /// Returns whether a to-one relationship leads to an object, as far as this context has read it.
  private func leads(_ slot: Int, to object: NSManagedObject) throws -> Bool {
    try readRow()
    switch content(slot) {
    case .writtenObject(let destination): return destination === object
    case .cachedObject(let destination): return destination === object
    default: break
    }
    guard case .reference(let id) = committedValue(layout.slots[slot]) else { return false }
    return id.identifies(object)
  }

  /// Reads the row again, and returns whether a one-to-one relationship then leads to an object.
  private func leadsAfterRefresh(_ slot: Int, to object: NSManagedObject) throws -> Bool {
    guard let context = unsafeContext, snapshot.isPresent, !isChanged(layout.slots[slot]),
      let inverse = layout.slots[slot].relationship?.inverse,
      object.layout.slots[inverse].kind == .toOne, !object.flags.contains(.inserted)
    else { return false }
    // This object's row may have been read before another save related it to the other object.
    context.refreshContents(of: [self])
    return try leads(slot, to: object)
  }

  /// Returns the members of a to-many relationship, reading them if necessary.
  func toManyContent(_ slot: Int) throws -> ToManyContent {
    try readRow()
    let content = unreadContent(slot)
    if content.isReadAhead, let context = unsafeContext { content.makeMembers(in: context) }
    if !content.isRead {
      content.setStored(
        // An object without a row has no stored members.
        snapshot.isPresent
          ? try unsafeContext?.readMembers(of: self, slot) ?? [] : [])
    }
    return content
  }

  func toManyObjects(_ slot: Int) throws -> [NSManagedObject] { try toManyContent(slot).objects }

  /// Returns the number of members of a to-many relationship. Makes no objects of prefetched members, unless the
  /// context has deleted objects.
  func toManyCount(_ slot: Int) throws -> Int {
    try readRow()
    // Deleted members do not count. Only their objects show that they are deleted, so the fast path
    // requires that the context has no deleted objects.
    if let context = unsafeContext, context.unsaved.deleted.isEmpty,
      context.unsaved.deletedElsewhere.isEmpty,
      let count = unreadContent(slot).loadedCount
    {
      return count
    }
    return try toManyContent(slot).count
  }

  /// Returns the content of a to-many slot, which may consist of changes to members that were not read.
  func unreadContent(_ slot: Int) -> ToManyContent {
    if case .toMany(let content) = content(slot) { return content }
    let content = ToManyContent(isOrdered: layout.slots[slot].relationship?.isOrdered ?? false)
    setContent(slot, .toMany(content))
    return content
  }

  /// Returns whether the members of an ordered relationship need new positions.
  func needsNewOrder(_ slot: Int) -> Bool {
    guard case .toMany(let content) = content(slot) else { return false }
    return content.needsNewOrder
  }

  // MARK: Writing

  /// Sets a to-one relationship. Updates its inverse and the displaced objects.
  func setToOne(_ slot: Int, _ object: NSManagedObject?) throws {
    try requireSameContext(object, slot)
    let present = try toOneObject(slot)
    // As in Apple's Core Data, setting the same value marks the object as changed.
    if present === object {
      willChangeContent(slot)
      setContent(slot, .writtenObject(object))
      noteChange()
      return
    }
    if let object {
      try relate(slot, object)
    } else if let present {
      try unrelate(slot, present)
    }
  }

  /// Sets the members of a to-many relationship, in order if it is ordered.
  func setToMany(_ slot: Int, _ objects: OrderedSet<NSManagedObject>) throws {
    let content = try toManyContent(slot)
    // All members are checked before the first one changes.
    for object in objects { try requireSameContext(object, slot) }
    for object in content.objects where !objects.contains(object) {
      try unrelate(slot, object)
    }
    for object in objects where !content.contains(object) { try relate(slot, object) }
    if content.isOrdered, !content.objects.elementsEqual(objects, by: ===) {
      willChangeContent(slot)
      content.reorder(objects)
    }
    noteChange()
  }

  func requireSameContext(_ object: NSManagedObject?, _ slot: Int) throws {
    guard let object, let mine = unsafeContext, let other = object.unsafeContext, mine !== other
    else { return }
    // The text is that of Apple's exception.
    throw CoreDataError.badRequest(
      "Illegal attempt to establish a relationship '\(layout.slots[slot].name)' between objects in"
        + " different contexts (source = \(ownID), destination = \(object.ownID))")
  }

  /// Adds `object` to the destinations of a relationship, and this object to those of the inverse.
  /// A side that is to-one loses its former destination.
  ///
  /// - Parameter index: The position in an ordered relationship; nil for the end.
  func relate(_ slot: Int, _ object: NSManagedObject, at index: Int? = nil) throws {
    // The former destination loses its reference back to this object.
    if layout.slots[slot].kind == .toOne, let displaced = try toOneObject(slot),
      displaced !== object
    {
      try unrelate(slot, displaced)
    }
    if let inverse = followingInverse(of: slot) {
      // A to-one inverse has one destination, so the object leaves its former owner.
      if object.layout.slots[inverse].kind == .toOne,
        let displaced = try object.toOneObject(inverse),
        displaced !== self
      {
        try object.unrelate(inverse, displaced)
      }
      try object.addDestination(inverse, self)
    }
    try addDestination(slot, object, at: index)
  }

  /// Removes `object` from a relationship, and this object from its inverse.
  func unrelate(_ slot: Int, _ object: NSManagedObject) throws {
    if let inverse = followingInverse(of: slot) {
      try object.removeDestination(inverse, self)
    }
    try removeDestination(slot, object)
  }

  /// Returns the slot of the inverse to update; nil if there is none, and for values set by
  /// `awakeFromFetch` and similar methods, which are not changes.
  private func followingInverse(of slot: Int) -> Int? {
    if let context = unsafeContext, context.registry.quietDepth > 0 { return nil }
    return layout.slots[slot].relationship?.inverse
  }

  /// Adds members to a to-many relationship. Reads the members only if there is no other way to
  /// find out whether the objects are among them.
  func addMembers(_ slot: Int, _ objects: [NSManagedObject]) throws {
    for object in objects { try requireSameContext(object, slot) }
    for object in objects where try !isMember(object, of: slot) { try relate(slot, object) }
    noteChange()
  }

  /// Inserts a member into an ordered relationship at an index.
  func insertMember(_ slot: Int, _ object: NSManagedObject, at index: Int) throws {
    try requireSameContext(object, slot)
    // The index counts all members, so they have to be read.
    if try toManyContent(slot).contains(object) { return }
    try relate(slot, object, at: index)
  }

  /// Removes members from a to-many relationship.
  func removeMembers(_ slot: Int, _ objects: [NSManagedObject]) throws {
    for object in objects where try isMember(object, of: slot) { try unrelate(slot, object) }
    noteChange()
  }

  private func isMember(_ object: NSManagedObject, of slot: Int) throws -> Bool {
    // A to-one inverse shows whether the object is a member, so the members need not be read
    // (`LiveCollectionTests`).
    if let inverse = layout.slots[slot].relationship?.inverse, object.unsafeContext != nil,
      object.layout.slots[inverse].kind == .toOne, !unreadContent(slot).isRead
    {
      return try object.toOneObject(inverse) === self
    }
    return try toManyContent(slot).contains(object)
  }

  private func addDestination(_ slot: Int, _ object: NSManagedObject, at index: Int? = nil) throws {
    willChangeContent(slot)
    if layout.slots[slot].kind == .toOne {
      setContent(slot, .writtenObject(object))
    } else {
      var content = unreadContent(slot)
      if content.needsReading(toAdd: object) { content = try toManyContent(slot) }
      content.insert(object, at: index)
    }
    noteChange()
  }

  /// Removes a destination on this side only, as deleting an object does for objects that refer to it.
  ///
  /// - Throws: An error if this object's row cannot be read. A row that is gone is no error, because it refers to
  ///   nothing.
  func removeDestination(_ slot: Int, _ object: NSManagedObject) throws {
    if layout.slots[slot].kind == .toOne {
      do {
        guard try leads(slot, to: object) || leadsAfterRefresh(slot, to: object) else { return }
      } catch let error where CoreDataError.isRowGone(error) {
        return
      }
      willChangeContent(slot)
      setContent(slot, .writtenObject(nil))
    } else {
      willChangeContent(slot)
      unreadContent(slot).remove(object)
    }
    noteChange()
  }
}
