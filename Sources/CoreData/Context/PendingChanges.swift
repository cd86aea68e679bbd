import Foundation
import StoreEngine

/// What happened in a context since its changes were processed last.
struct PendingChanges {
  var inserted = ChangeList()
  var updated = ChangeList()
  var deleted = ChangeList()
  /// Objects whose values were taken anew from the store.
  var refreshed = ChangeList()
  /// Those of the above that another context's save brought.
  var merged = ChangeList()
  /// Objects whose rows changed while nobody here had read them: only live results are told.
  var outdated = ChangeList()
  /// Stand for rows that another context deleted and that no object here was in use for: only live results are
  /// notified, and the objects are released afterwards.
  var unseenDeletions: [NSManagedObject] = []
  /// Whether another context's deletion was merged of an object that was reported as deleted before.
  var confirmsDeletions = false
  /// Observed objects that have another row than their observers read.
  var replaced: [ReplacedSnapshot] = []
  /// Rows changed in the stores that nobody named: live results have to look themselves.
  var isIncomplete = false
  /// Rows were deleted, and nobody says who referred to them.
  var lostReferences: LostReferences?
  /// Everything was let go (`reset`), also where no object was in use.
  var isReset = false
  /// The objects that were let go with it.
  var invalidatedAll: [NSManagedObjectID] = []

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
      && outdated.isEmpty && unseenDeletions.isEmpty && replaced.isEmpty && !isReset
      && !isIncomplete
  }
}

/// An object and the row that it had.
struct ReplacedSnapshot {
  let object: NSManagedObject
  let former: RowSnapshot
}

/// What live results are told: which objects are new, other than before, or gone.
struct ObjectChanges {
  let inserted: [NSManagedObject]
  /// Changed here, or taken anew from the store.
  let updated: [NSManagedObject]
  let deleted: [NSManagedObject]
  let isReset: Bool
  /// Whether rows changed beside these, unknown which.
  let isIncomplete: Bool
  /// Whose references to deleted rows nobody names.
  var lostReferences: LostReferences?

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && !isReset && !isIncomplete
  }

  /// That everything was let go, and nothing else.
  var resetAlone: ObjectChanges {
    ObjectChanges(inserted: [], updated: [], deleted: [], isReset: true, isIncomplete: false)
  }

  /// What happened since everything was let go.
  var afterReset: ObjectChanges {
    ObjectChanges(
      inserted: inserted, updated: updated, deleted: deleted, isReset: false,
      isIncomplete: isIncomplete, lostReferences: lostReferences)
  }
}
