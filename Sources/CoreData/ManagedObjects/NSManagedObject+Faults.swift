extension NSManagedObject {
  /// Returns whether following a relationship may read from the store.
  final func isUnread(_ slot: Int) -> Bool {
    if layout.slots[slot].kind == .toMany {
      if case .toMany(let content) = content(slot), content.isLoaded { return false }
      return snapshot.isPresent || flags.contains(.fault)
    }
    switch content(slot) {
    case .writtenObject, .cachedObject: return false
    default: break
    }
    if flags.contains(.fault) { return true }
    if case .reference = committedValue(layout.slots[slot]) { return true }
    return false
  }

  /// Returns the IDs of a relationship's destinations. Makes no objects of destinations that were not read yet, unless
  /// the context has changed the members of an ordered relationship.
  final func destinationIDs(_ slot: Int) throws -> [NSManagedObjectID] {
    if layout.slots[slot].kind != .toMany { return try toOneID(slot).map { [$0] } ?? [] }
    try readRow()
    var content: ToManyContent?
    if case .toMany(let known) = self.content(slot) {
      content = known.isReadAhead ? try toManyContent(slot) : known
    }
    if let content, content.isRead { return content.objects.map(\.ownID) }
    guard snapshot.isPresent, let context = unsafeContext, context.source != nil else {
      return content?.added.map(\.ownID) ?? []
    }
    if let content, content.isOrdered, content.isChanged {
      // Members may keep their order from before a refresh, which only the content contains.
      let members = content.copy()
      members.setStored(try context.readMembers(of: self, slot))
      return members.objects.map(\.ownID)
    }
    let members = try context.readMemberRuns(of: slot, owners: [self]).first
    let removed = Set((content?.removed ?? []).map(\.ownID))
    var ids = (members?.runs ?? []).flatMap { run in
      run.rows.map { NSManagedObjectID(layout: $0.layout, key: $0.key, origin: run.origin) }
    }
    ids.removeAll {
      // The store still has members that this context has removed or deleted.
      removed.contains($0) || context.registeredObject(for: $0)?.isDeletedForGood == true
    }
    let present = Set(ids)
    // A member that was added in this context may be stored already, because another context added
    // it too and saved.
    for object in content?.added ?? ChangeList() where !present.contains(object.ownID) {
      ids.append(object.ownID)
    }
    return ids
  }
}
