/// Changes that a context must merge: a save by another context of the same coordinator, through another coordinator,
/// or by another process.
package struct ForeignChanges: Sendable {
  /// The objects that are known to be inserted, updated and deleted.
  package var ids = ChangedObjectIDs()
  /// The stores in which unknown rows changed.
  package var unnamed: [StoreOrigin] = []
  /// Whether the changes include deleted objects, but not the objects that referred to them.
  package var leavesOutReferrers = false

  package var isEmpty: Bool { ids.isEmpty && unnamed.isEmpty }

  package init(ids: ChangedObjectIDs) { self.ids = ids }

  package init(unnamed: [StoreOrigin] = []) { self.unnamed = unnamed }

  /// Creates the changes that a program passes to a context to merge: those of a save, or the result of a batch
  /// request. A save with deletions lists the objects that referred to the deleted ones; the result of a batch
  /// deletion does not.
  package init(reported ids: ChangedObjectIDs) {
    self.ids = ids
    leavesOutReferrers = ids.inserted.isEmpty && ids.updated.isEmpty && !ids.deleted.isEmpty
  }

  /// The maximum number of changed objects that are listed. If more changed, a merging context
  /// creates no objects for them, and live results read the keys of all their rows again.
  package static let namedLimit = 10_000
}

/// The changes that other connections made to a store.
package struct ForeignNews {
  /// The changes for contexts to merge, in this order.
  package private(set) var changes: [ForeignChanges] = []
  /// Whether rows were saved. False if the file was only maintained, for example by a vacuum.
  package private(set) var isSave = false

  package init() {}

  package var isEmpty: Bool { changes.isEmpty }

  package mutating func add(_ more: ForeignChanges, isSave: Bool) {
    changes.append(more)
    self.isSave = self.isSave || isSave
  }
}
