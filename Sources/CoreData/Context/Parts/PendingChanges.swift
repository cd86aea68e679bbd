/// The changes of a context since its changes were last processed.
struct PendingChanges {
  private(set) var inserted = ChangeList()
  private(set) var updated = ChangeList()
  private(set) var deleted = ChangeList()
  /// Objects whose values were read from the store again.
  private(set) var refreshed = ChangeList()
  /// The inserted, refreshed and deleted objects that another context's save changed.
  private(set) var merged = ChangeList()
  /// Objects that this context had not read and whose rows changed, and saved objects with derived attributes, because
  /// the store computes these. Only live results are notified.
  private(set) var outdated = ChangeList()
  /// Placeholders of rows that another context deleted and that had no object in use. Only live
  /// results are notified; the placeholders are released afterwards.
  private(set) var unseenDeletions: [NSManagedObject] = []
  /// Whether a merge confirmed the deletion of an object that was already reported as deleted.
  private(set) var confirmsDeletions = false
  /// Observed objects whose rows were replaced since their observers read them.
  private(set) var replaced: [ReplacedSnapshot] = []
  /// Whether unknown rows changed. Live results then compare their rows with the store.
  private(set) var isIncomplete = false
  /// The entities whose rows may have referred to deleted rows, if it is unknown which rows did.
  private(set) var lostReferences: LostReferences?
  /// Whether the context was reset, even if no object was in use.
  private(set) var isReset = false
  /// The IDs of the objects that the reset released.
  private(set) var invalidatedAll: [NSManagedObjectID] = []

  var isEmpty: Bool {
    // `merged` only marks objects that are in other lists.
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
      && outdated.isEmpty && unseenDeletions.isEmpty && replaced.isEmpty && !isReset
      && !isIncomplete
  }

  /// Removes all changes and returns them for processing.
  mutating func removeAll() -> PendingChanges { exchange(&self, with: PendingChanges()) }

  /// Replaces all changes with a reset that released objects, and returns the former changes.
  @discardableResult
  mutating func reset(invalidating objects: [NSManagedObjectID]) -> PendingChanges {
    let former = removeAll()
    (isReset, invalidatedAll) = (true, objects)
    return former
  }

  /// - Parameter isKnownToBeNew: Whether the object cannot be in the list yet.
  mutating func insert(_ object: NSManagedObject, isKnownToBeNew: Bool = false) {
    if isKnownToBeNew { inserted.append(object) } else { inserted.insert(object) }
  }

  mutating func update(_ object: NSManagedObject) { updated.insert(object) }
  mutating func withdrawUpdate(_ object: NSManagedObject) { updated.remove(object) }
  mutating func delete(_ object: NSManagedObject) { deleted.insert(object) }

  /// - Returns: Whether the deletion was not reported yet.
  @discardableResult
  mutating func withdrawDeletion(_ object: NSManagedObject) -> Bool { deleted.remove(object) }

  /// Records that a deleted object exists again.
  mutating func reinsert(_ object: NSManagedObject) {
    deleted.remove(object)
    inserted.insert(object)
  }

  mutating func refresh(_ object: NSManagedObject) { refreshed.insert(object) }
  /// Records that another context's save changed the object.
  mutating func noteMerge(of object: NSManagedObject) { merged.insert(object) }
  mutating func noteOutdated(_ object: NSManagedObject) { outdated.insert(object) }
  mutating func noteUnseenDeletions(_ objects: [NSManagedObject]) { unseenDeletions += objects }
  mutating func confirmDeletions() { confirmsDeletions = true }
  mutating func noteReplacement(_ row: ReplacedSnapshot) { replaced.append(row) }
  mutating func noteUnnamedChanges() { isIncomplete = true }
  mutating func noteLostReferences(_ lost: LostReferences) { lostReferences = lost }

  /// Removes the updates and returns them, so that later ones can be recorded separately.
  mutating func removeUpdates() -> ChangeList {
    exchange(&updated, with: ChangeList())
  }

  /// Inserts removed updates before those that were recorded after the removal.
  mutating func prependUpdates(_ before: ChangeList) {
    if updated.isEmpty { updated = before } else { for object in before { updated.insert(object) } }
  }

  /// Returns a description of an inconsistency in the lists, or nil. Changes nothing.
  func checkInvariants() -> String? {
    if !isReset, !invalidatedAll.isEmpty { return "objects were invalidated without a reset" }
    return ChangeList.checkInvariants(of: [
      "inserted": inserted, "updated": updated, "deleted": deleted, "refreshed": refreshed,
      "merged": merged, "outdated": outdated,
    ])
  }
}

/// An object and its former row.
struct ReplacedSnapshot {
  let object: NSManagedObject
  let former: RowSnapshot
}

/// The changes that live results are notified of.
struct ObjectChanges {
  let inserted: [NSManagedObject]
  /// Objects that changed in this context or were read from the store again.
  let updated: [NSManagedObject]
  let deleted: [NSManagedObject]
  let isReset: Bool
  /// Whether further rows changed, and it is unknown which.
  let isIncomplete: Bool
  /// The entities whose rows may have referred to deleted rows, if it is unknown which rows did.
  var lostReferences: LostReferences?

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && !isReset && !isIncomplete
  }

  /// The reset without the changes.
  var resetAlone: ObjectChanges {
    ObjectChanges(inserted: [], updated: [], deleted: [], isReset: true, isIncomplete: false)
  }

  /// The changes after the reset.
  var afterReset: ObjectChanges {
    ObjectChanges(
      inserted: inserted, updated: updated, deleted: deleted, isReset: false,
      isIncomplete: isIncomplete, lostReferences: lostReferences)
  }
}
