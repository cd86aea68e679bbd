/// The IDs of objects that a save, a batch request, or a part of the history inserted, updated and deleted.
package struct ChangedObjectIDs: Sendable {
  package var inserted: [NSManagedObjectID] = []
  package var updated: [NSManagedObjectID] = []
  package var deleted: [NSManagedObjectID] = []

  package init(
    inserted: [NSManagedObjectID] = [], updated: [NSManagedObjectID] = [],
    deleted: [NSManagedObjectID] = []
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }
}

extension ChangedObjectIDs {
  package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// Adds outdated objects, whose rows were changed or deleted in their stores. Removes the deleted objects from the
  /// inserted and updated ones.
  package mutating func add(_ outdated: ChangedObjectIDs) {
    if !outdated.deleted.isEmpty {
      let lost = Set(outdated.deleted)
      inserted.removeAll(where: lost.contains)
      updated.removeAll(where: lost.contains)
    }
    let named = Set(inserted + updated)
    let gone = Set(deleted)
    updated += outdated.updated.filter { !named.contains($0) && !gone.contains($0) }
    deleted += outdated.deleted.filter { !gone.contains($0) }
  }

  package init(_ outcome: BatchOutcome) {
    self.init(
      inserted: outcome.inserted.ids, updated: outcome.updated.ids + outcome.computed.ids,
      deleted: outcome.deleted.ids)
  }
}
