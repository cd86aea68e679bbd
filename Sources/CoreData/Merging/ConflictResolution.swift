/// Resolves the conflict of one object, and bases the object on the store's current row.
///
/// Each property gets the value that the policy selects. This also updates the other sides of
/// relationships, because a relationship that this context has set is a change on both sides. A row that is
/// gone is inserted again with its old key and the next version. If the store wins or the object has no
/// changes, the object is deleted instead.
struct ConflictResolution {
  let object: NSManagedObject
  let context: NSManagedObjectContext
  let type: NSMergePolicyType
  /// The store's row; `none` if it is gone.
  let present: RowSnapshot

  static func resolve(_ conflicts: [NSMergeConflict], _ type: NSMergePolicyType) throws {
    for conflict in conflicts {
      let object = conflict.sourceObject
      guard let context = object.unsafeContext else { continue }
      let present = try conflict.present ?? context.presentRow(of: object)
      try ConflictResolution(object: object, context: context, type: type, present: present)
        .resolve()
    }
  }

  /// Whether the store wins if both the store and this context have changed a property.
  var storeWins: Bool {
    type == .mergeByPropertyStoreTrumpMergePolicyType || type == .rollbackMergePolicyType
  }

  func resolve() throws {
    if object.flags.contains(.observed) { object.notifyObserversOfAllKeys() }
    // An earlier attempt of this save may have found the row missing, and it may exist again.
    context.session.withdrawRestoring(object)
    if !present.isPresent { return try resolveMissingRow() }
    if object.flags.contains(.deleted) { return try resolveDeletion() }
    let old = object.snapshot
    object.setWholeComposites()
    // Computed before `rowWasRead` replaces the row that the object was read with, because it compares values with it.
    let isLocal = object.layout.slots.map { !$0.isTransient && object.isPropertyChanged($0) }
    object.state.rowWasRead(present)
    let isChanged = isLocal.contains(true)
    for slot in object.layout.slots where !slot.isTransient {
      let before = old.value(of: slot, in: object.layout, origin: object.origin)
      let isStored =
        old.isPresent
        && object.slotsOfProperty(slot).contains {
          old.value(of: $0, in: object.layout, origin: object.origin) != object.committedValue($0)
        }
      var winner = winner(isLocal: isLocal[slot.index], isStored: isStored, isChanged: isChanged)
      // If another process replaced a value's file, the old one is gone and cannot be written again.
      if case .old = winner, before.isNull, old.hasValue(of: slot, in: object.layout) {
        winner = .store
      }
      switch slot.kind {
      case .attribute: resolveAttribute(slot, winner, before)
      case .toOne: try resolveToOne(slot, winner, before)
      case .toMany: resolveToMany(slot)
      case .fetched, .composite: break
      }
    }
    recordRefresh()
  }

  /// The value that a property gets.
  enum Winner {
    /// The store's current value.
    case store
    /// The value set in this context. `overStored` says whether the store's value has changed, too.
    case local(overStored: Bool)
    /// The value that the object was read with.
    case old
  }

  private func winner(isLocal: Bool, isStored: Bool, isChanged: Bool) -> Winner {
    switch (type, isLocal, isStored) {
    case (.rollbackMergePolicyType, _, _): .store
    case (.mergeByPropertyStoreTrumpMergePolicyType, true, true): .store
    case (_, true, _): .local(overStored: isStored)
    // An object without changes, whose version the save only checks, must not overwrite anything.
    case (.overwriteMergePolicyType, false, true) where isChanged: .old
    default: .store
    }
  }

  private func resolveAttribute(_ slot: PropertySlot, _ winner: Winner, _ old: StoredValue) {
    switch winner {
    case .local: break
    case .old where !(slot.property is NSDerivedAttributeDescription):
      object.setContent(slot.index, .written(old))
    default: object.state.forget(slot.index)
    }
  }

  private func resolveToMany(_ slot: PropertySlot) {
    guard case .toMany(let content) = object.content(slot.index) else { return }
    // If members were added or removed by changing their references to this object, the changes belong
    // to the members and stay. In an ordered relationship, added members then need positions.
    if type == .rollbackMergePolicyType, !isChangeOfMembers(slot, content) {
      forgetPairs(slot, content)
      object.state.forget(slot.index)
    } else {
      object.state.forgetReadMembers(slot.index)
    }
  }

  /// Returns whether members were added or removed by changing their owner.
  private func isChangeOfMembers(_ slot: PropertySlot, _ content: ToManyContent) -> Bool {
    guard let relationship = slot.relationship, let inverse = relationship.inverse else {
      return false
    }
    return relationship.destination.slots[inverse].kind == .toOne
      && !(content.added.isEmpty && content.removed.isEmpty)
  }

  /// Calls `awake(fromSnapshotEvents:)` of the object, and records it as refreshed for the context's observers.
  func recordRefresh() {
    context.wake(object, .mergePolicy)
    context.pending.refresh(object)
  }
}
