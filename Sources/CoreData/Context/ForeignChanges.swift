import Foundation

/// What somebody else saved, for a context to merge: another context of the coordinator, another
/// coordinator, another process.
struct ForeignChanges: Sendable {
  /// The objects that are known to be inserted, updated and deleted.
  var ids = SavedIDs()
  /// The stores in which rows changed that nobody names.
  var unnamed: [StoreOrigin] = []

  var isEmpty: Bool { ids.isEmpty && unnamed.isEmpty }

  init(ids: SavedIDs) { self.ids = ids }

  init(unnamed: [StoreOrigin] = []) { self.unnamed = unnamed }

  /// From so many rows on, a context that merges makes no objects of those that it does not have, and
  /// live results read their keys anew.
  static let namedLimit = 10_000
}

extension SavedIDs {
  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// What other processes and coordinators saved, until a context's queue merges it. What comes while
/// something waits is merged with it, so that a queue that has much to do is not given more with each
/// save.
final class ForeignInbox: @unchecked Sendable {
  private let lock = NSLock()
  private var rows: [NSManagedObjectID: Change] = [:]
  private var unnamed: [StoreOrigin] = []

  private enum Change { case inserted, updated, deleted }

  /// Has a context merge changes, on its queue. Called on any thread.
  func add(_ changes: ForeignChanges, for context: NSManagedObjectContext) {
    if changes.isEmpty { return }
    let isFirst = lock.withLock {
      defer { note(changes) }
      return rows.isEmpty && unnamed.isEmpty
    }
    guard isFirst else { return }
    context.perform { [weak context] in
      guard let context else { return }
      context.merge(context.foreignInbox.take())
    }
  }

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
