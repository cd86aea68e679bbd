import OrderedCollections

extension NSManagedObject {
  // MARK: Reading

  /// The ID of a to-one relationship's destination, without making the object.
  func toOneID(_ slot: Int) throws -> NSManagedObjectID? {
    try readRow()
    switch content(slot) {
    case .writtenObject(let object): return object?.objectID
    case .cachedObject(let object): return object.objectID
    default: break
    }
    guard case .reference(let id) = committedValue(layout.slots[slot]) else { return nil }
    return id
  }

  /// The destination of a to-one relationship, as a fault when it is not in the context.
  func toOneObject(_ slot: Int) throws -> NSManagedObject? {
    try readRow()
    switch content(slot) {
    case .writtenObject(let object): return object
    case .cachedObject(let object): if object.unsafeContext != nil { return object }
    default: break
    }
    guard case .reference(let id) = committedValue(layout.slots[slot]), let context = unsafeContext
    else { return nil }
    let object = context.object(of: id)
    setContent(slot, .cachedObject(object))
    return object
  }

  /// Whether a to-one relationship leads to an object, as far as is known here.
  private func leads(_ slot: Int, to object: NSManagedObject) throws -> Bool {
    try readRow()
    switch content(slot) {
    case .writtenObject(let destination): return destination === object
    case .cachedObject(let destination): return destination === object
    default: break
    }
    guard case .reference(let id) = committedValue(layout.slots[slot]) else { return false }
    return id.names(object)
  }

  /// Whether one side of a one-to-one relationship, which was read before the other, does lead there in its present
  /// row. Where it does not, the other may be the older one, before this was given to somebody else.
  private func leadsByNow(_ slot: Int, to object: NSManagedObject) throws -> Bool {
    guard let context = unsafeContext, snapshot.isPresent, !isChanged(layout.slots[slot]),
      let inverse = layout.slots[slot].relationship?.inverse,
      object.layout.slots[inverse].kind == .toOne, !object.flags.contains(.inserted)
    else { return false }
    context.refreshContents(of: [self])
    return try leads(slot, to: object)
  }

  /// The members of a to-many relationship, read when they were not.
  func toManyContent(_ slot: Int) throws -> ToManyContent {
    try readRow()
    let content = unreadContent(slot)
    if content.isReadAhead, let context = unsafeContext { content.makeMembers(in: context) }
    if !content.isRead {
      content.setStored(
        snapshot.isPresent
          ? try unsafeContext?.readMembers(of: self, slot) ?? [] : [])
    }
    return content
  }

  func toManyObjects(_ slot: Int) throws -> [NSManagedObject] { try toManyContent(slot).objects }

  /// How many members a to-many relationship has; no objects are made of members that were read ahead.
  func toManyCount(_ slot: Int) throws -> Int {
    try readRow()
    if let context = unsafeContext, context.unsaved.deleted.isEmpty,
      context.unsaved.deletedElsewhere.isEmpty,
      let count = unreadContent(slot).loadedCount
    {
      return count
    }
    return try toManyContent(slot).count
  }

  /// The content of a to-many slot, which may be a change against members that were not read.
  func unreadContent(_ slot: Int) -> ToManyContent {
    if case .toMany(let content) = content(slot) { return content }
    let content = ToManyContent(isOrdered: layout.slots[slot].relationship?.isOrdered ?? false)
    setContent(slot, .toMany(content))
    return content
  }

  /// Whether the members of an ordered relationship get places anew.
  func needsNewOrder(_ slot: Int) -> Bool {
    guard case .toMany(let content) = content(slot) else { return false }
    return content.needsNewOrder
  }

  // MARK: Writing

  /// Sets a to-one relationship; the inverse and whoever is displaced follow.
  func setToOne(_ slot: Int, _ object: NSManagedObject?) throws {
    try requireSameContext(object, slot)
    let present = try toOneObject(slot)
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

  /// Sets the members of a to-many relationship, in order for an ordered one.
  func setToMany(_ slot: Int, _ objects: OrderedSet<NSManagedObject>) throws {
    let content = try toManyContent(slot)
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
    throw CoreDataError.badRequest(
      "Illegal attempt to establish a relationship '\(layout.slots[slot].name)' between objects in"
        + " different contexts (source = \(objectID), destination = \(object.objectID))")
  }

  /// Makes `object` a destination of a relationship, and this object one of its inverse; whoever
  /// was in a to-one place before is let go.
  ///
  /// - Parameter index: the place in an ordered relationship; nil for the end.
  func relate(_ slot: Int, _ object: NSManagedObject, at index: Int? = nil) throws {
    if layout.slots[slot].kind == .toOne, let displaced = try toOneObject(slot),
      displaced !== object
    {
      try unrelate(slot, displaced)
    }
    if let inverse = followingInverse(of: slot) {
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

  /// Takes `object` out of a relationship, and this object out of its inverse.
  func unrelate(_ slot: Int, _ object: NSManagedObject) throws {
    if let inverse = followingInverse(of: slot) {
      try object.removeDestination(inverse, self)
    }
    try removeDestination(slot, object)
  }

  /// The slot of the other side: it follows, but for what `awakeFromFetch` and the like set, which
  /// are no changes.
  private func followingInverse(of slot: Int) -> Int? {
    if let context = unsafeContext, context.registry.quietDepth > 0 { return nil }
    return layout.slots[slot].relationship?.inverse
  }

  /// Adds members to a to-many relationship, which is read only where there is no other way to know
  /// whether they are there.
  func addMembers(_ slot: Int, _ objects: [NSManagedObject]) throws {
    for object in objects { try requireSameContext(object, slot) }
    for object in objects where try !isMember(object, of: slot) { try relate(slot, object) }
    noteChange()
  }

  /// Adds a member to an ordered relationship at a place.
  func insertMember(_ slot: Int, _ object: NSManagedObject, at index: Int) throws {
    try requireSameContext(object, slot)
    if try toManyContent(slot).contains(object) { return }
    try relate(slot, object, at: index)
  }

  /// Takes members out of a to-many relationship.
  func removeMembers(_ slot: Int, _ objects: [NSManagedObject]) throws {
    for object in objects where try isMember(object, of: slot) { try unrelate(slot, object) }
    noteChange()
  }

  private func isMember(_ object: NSManagedObject, of slot: Int) throws -> Bool {
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

  /// One side only: also what deleting an object does to those that refer to it.
  ///
  /// - Throws: what reading the row throws, except that it is gone: then it refers to nothing.
  func removeDestination(_ slot: Int, _ object: NSManagedObject) throws {
    if layout.slots[slot].kind == .toOne {
      do {
        guard try leads(slot, to: object) || leadsByNow(slot, to: object) else { return }
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
