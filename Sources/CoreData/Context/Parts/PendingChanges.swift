/// What happened in a context since its changes were processed last.
struct PendingChanges {
  private(set) var inserted = ChangeList()
  private(set) var updated = ChangeList()
  private(set) var deleted = ChangeList()
  /// Objects whose values were read from the store again.
  private(set) var refreshed = ChangeList()
  /// Those of the above that another context's save brought.
  private(set) var merged = ChangeList()
  /// Objects whose changed rows this context had not read: only live results are notified.
  private(set) var outdated = ChangeList()
  /// Stand for rows that another context deleted and that no object here was in use for: only live results are
  /// notified, and the objects are released afterwards.
  private(set) var unseenDeletions: [NSManagedObject] = []
  /// Whether another context's deletion was merged of an object that was reported as deleted before.
  private(set) var confirmsDeletions = false
  /// Observed objects that have another row than their observers read.
  private(set) var replaced: [ReplacedSnapshot] = []
  /// Whether rows changed that no notification named: live results compare their rows with the store.
  private(set) var isIncomplete = false
  /// References to deleted rows whose owners are not known.
  private(set) var lostReferences: LostReferences?
  /// Whether the context was reset, even if no object was in use.
  private(set) var isReset = false
  /// The objects that the reset released.
  private(set) var invalidatedAll: [NSManagedObjectID] = []

  init() {}

  /// After a reset.
  init(invalidatingAll objects: [NSManagedObject]) {
    isReset = true
    invalidatedAll = objects.map(\.objectID)
  }

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
      && outdated.isEmpty && unseenDeletions.isEmpty && replaced.isEmpty && !isReset
      && !isIncomplete
  }

  /// Removes everything and returns it, to be processed.
  mutating func removeAll() -> PendingChanges { exchange(&self, with: PendingChanges()) }

  /// - Parameter isKnownToBeNew: whether the object cannot be in a list.
  mutating func insert(_ object: NSManagedObject, isKnownToBeNew: Bool = false) {
    if isKnownToBeNew { inserted.append(object) } else { inserted.insert(object) }
  }

  mutating func update(_ object: NSManagedObject) { updated.insert(object) }
  mutating func withdrawUpdate(_ object: NSManagedObject) { updated.remove(object) }
  mutating func delete(_ object: NSManagedObject) { deleted.insert(object) }

  /// - Returns: whether the deletion was not reported yet.
  @discardableResult
  mutating func withdrawDeletion(_ object: NSManagedObject) -> Bool { deleted.remove(object) }

  /// An object that was deleted is there again.
  mutating func bringBack(_ object: NSManagedObject) {
    deleted.remove(object)
    inserted.insert(object)
  }

  mutating func refresh(_ object: NSManagedObject) { refreshed.insert(object) }
  /// Another context's save brought what is noted of the object.
  mutating func noteMerge(of object: NSManagedObject) { merged.insert(object) }
  mutating func noteOutdated(_ object: NSManagedObject) { outdated.insert(object) }
  mutating func noteUnseenDeletions(_ objects: [NSManagedObject]) { unseenDeletions += objects }
  mutating func confirmDeletions() { confirmsDeletions = true }
  mutating func noteReplacement(_ row: ReplacedSnapshot) { replaced.append(row) }
  mutating func noteUnnamedChanges() { isIncomplete = true }
  mutating func noteLostReferences(_ lost: LostReferences) { lostReferences = lost }

  /// The updates so far, which are set aside while others are noted.
  mutating func setUpdatesAside() -> ChangeList {
    exchange(&updated, with: ChangeList())
  }

  /// Puts updates that were set aside before those that were noted since.
  mutating func putBack(_ before: ChangeList) {
    if updated.isEmpty { updated = before } else { for object in before { updated.insert(object) } }
  }

  /// Returns what is wrong with the lists, or nil. It changes nothing.
  func checkInvariants() -> String? {
    if !isReset, !invalidatedAll.isEmpty { return "objects are invalid without a reset" }
    return ChangeList.checkInvariants(of: [
      "inserted": inserted, "updated": updated, "deleted": deleted, "refreshed": refreshed,
      "merged": merged, "outdated": outdated,
    ])
  }
}

/// An object and the row that it had.
struct ReplacedSnapshot {
  let object: NSManagedObject
  let former: RowSnapshot
}

/// The changes that live results are notified of: objects that were inserted, changed or deleted.
struct ObjectChanges {
  let inserted: [NSManagedObject]
  /// Changed here, or read from the store again.
  let updated: [NSManagedObject]
  let deleted: [NSManagedObject]
  let isReset: Bool
  /// Whether rows changed beside these, unknown which.
  let isIncomplete: Bool
  /// References to deleted rows whose owners are not known.
  var lostReferences: LostReferences?

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && !isReset && !isIncomplete
  }

  /// The reset alone.
  var resetAlone: ObjectChanges {
    ObjectChanges(inserted: [], updated: [], deleted: [], isReset: true, isIncomplete: false)
  }

  /// The changes since the reset.
  var afterReset: ObjectChanges {
    ObjectChanges(
      inserted: inserted, updated: updated, deleted: deleted, isReset: false,
      isIncomplete: isIncomplete, lostReferences: lostReferences)
  }
}
