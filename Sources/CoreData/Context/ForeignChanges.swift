import Foundation

/// What somebody else saved, for a context to merge: another context of the coordinator, another
/// coordinator, another process.
struct ForeignChanges: Sendable {
  /// The objects that are known to be inserted, updated and deleted.
  var ids = SavedIDs()
  /// The stores in which rows changed that nobody names.
  var unnamed: [StoreOrigin] = []
  /// Whether only deleted objects are named, and not who referred to them.
  var leavesOutReferrers = false

  var isEmpty: Bool { ids.isEmpty && unnamed.isEmpty }

  init(ids: SavedIDs) { self.ids = ids }

  init(unnamed: [StoreOrigin] = []) { self.unnamed = unnamed }

  /// What a program was told of a save elsewhere, or of a batch request. A save that deletes says who let go of
  /// the objects; a batch deletion's result does not.
  init(told ids: SavedIDs) {
    self.ids = ids
    leavesOutReferrers = ids.inserted.isEmpty && ids.updated.isEmpty && !ids.deleted.isEmpty
  }

  /// From so many rows on, a context that merges makes no objects of those that it does not have, and
  /// live results read their keys anew.
  static let namedLimit = 10_000
}

extension SavedIDs {
  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// Adds objects that were found to be other than they are in the stores, or gone from them.
  mutating func add(_ outdated: SavedIDs) {
    let named = Set(inserted + updated)
    let gone = Set(deleted)
    updated += outdated.updated.filter { !named.contains($0) && !gone.contains($0) }
    deleted += outdated.deleted.filter { !gone.contains($0) }
  }
}

/// What other processes and coordinators saved, until a context's queue merges it. What comes while
/// something waits is merged with it, and after a merge that took long as much time is left to others: a
/// queue that has much to do is not given more with each save.
final class ForeignInbox: @unchecked Sendable {
  private let lock = NSLock()
  private var rows: [NSManagedObjectID: Change] = [:]
  private var unnamed: [StoreOrigin] = []
  /// When the queue has had its rest.
  private var restEnd = DispatchTime.now()

  private enum Change { case inserted, updated, deleted }

  /// Has a context merge changes, on its queue. Called on any thread.
  func add(_ changes: ForeignChanges, for context: NSManagedObjectContext) {
    if changes.isEmpty { return }
    let (isFirst, time) = lock.withLock {
      defer { note(changes) }
      return (rows.isEmpty && unnamed.isEmpty, restEnd)
    }
    guard isFirst else { return }
    if time <= .now() { return context.mergeInbox() }
    DispatchQueue.global().asyncAfter(deadline: time) { [weak context] in context?.mergeInbox() }
  }

  /// Merges what waits; called on the context's queue.
  func merge(into context: NSManagedObjectContext) {
    let start = DispatchTime.now().uptimeNanoseconds
    context.merge(take())
    let end = DispatchTime.now().uptimeNanoseconds
    guard end - start > Self.longMerge else { return }
    lock.withLock { restEnd = DispatchTime(uptimeNanoseconds: end + (end - start)) }
  }

  /// Nanoseconds.
  private static let longMerge: UInt64 = 20_000_000

  private func note(_ changes: ForeignChanges) {
    for id in changes.ids.inserted { rows[id] = .inserted }
    for id in changes.ids.updated where rows[id] != .inserted { rows[id] = .updated }
    for id in changes.ids.deleted { rows[id] = .deleted }
    for origin in changes.unnamed where !unnamed.contains(where: { $0 === origin }) {
      unnamed.append(origin)
    }
  }

  private func take() -> ForeignChanges {
    lock.withLock {
      var changes = ForeignChanges(unnamed: unnamed)
      for (id, change) in rows {
        switch change {
        case .inserted: changes.ids.inserted.append(id)
        case .updated: changes.ids.updated.append(id)
        case .deleted: changes.ids.deleted.append(id)
        }
      }
      rows = [:]
      unnamed = []
      return changes
    }
  }
}

extension NSManagedObjectContext {
  /// Merges what waits in the inbox, on this context's queue.
  func mergeInbox() {
    perform { [weak self] in
      if let self { self.foreignInbox.merge(into: self) }
    }
  }
}
