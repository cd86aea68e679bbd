/// What somebody else saved, for a context to merge: another context of the coordinator, another
/// coordinator, another process.
package struct ForeignChanges: Sendable {
  /// The objects that are known to be inserted, updated and deleted.
  package var ids = ChangedObjectIDs()
  /// The stores in which unknown rows changed.
  package var unnamed: [StoreOrigin] = []
  /// Whether only deleted objects are named, and not who referred to them.
  package var leavesOutReferrers = false

  package var isEmpty: Bool { ids.isEmpty && unnamed.isEmpty }

  package init(ids: ChangedObjectIDs) { self.ids = ids }

  package init(unnamed: [StoreOrigin] = []) { self.unnamed = unnamed }

  /// What a program was told of a save elsewhere, or of a batch request. A save that deletes says who let go of
  /// the objects; a batch deletion's result does not.
  package init(reported ids: ChangedObjectIDs) {
    self.ids = ids
    leavesOutReferrers = ids.inserted.isEmpty && ids.updated.isEmpty && !ids.deleted.isEmpty
  }

  /// From so many rows on, a context that merges makes no objects of those that it does not have, and
  /// live results read their keys anew.
  package static let namedLimit = 10_000
}

/// What others did to a store.
package struct ForeignNews {
  /// What contexts are to merge, in this order.
  package private(set) var changes: [ForeignChanges] = []
  /// Whether rows were saved; false where the file was only tidied up.
  package private(set) var isSave = false

  package init() {}

  package var isEmpty: Bool { changes.isEmpty }

  package mutating func add(_ more: ForeignChanges, isSave: Bool) {
    changes.append(more)
    self.isSave = self.isSave || isSave
  }
}
