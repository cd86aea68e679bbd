/// Changes that other processes and coordinators saved and that the context's queue has not merged
/// yet. Changes that arrive before the merge are merged together. After a long merge, the inbox waits
/// as long as that merge took.
final class ForeignInbox: @unchecked Sendable {
  private let lock = NSLock()
  private var rows: [NSManagedObjectID: Change] = [:]
  private var unnamed: [StoreOrigin] = []
  /// When the pause after the last long merge ends.
  private var pauseEnd = DispatchTime.now()

  private enum Change { case inserted, updated, deleted }

  /// Schedules a merge of changes on the context's queue. May be called on any thread.
  func add(_ changes: ForeignChanges, for context: NSManagedObjectContext) {
    if changes.isEmpty { return }
    let (isFirst, time) = lock.withLock {
      defer { note(changes) }
      return (rows.isEmpty && unnamed.isEmpty, pauseEnd)
    }
    // A merge is scheduled already. It will include these changes.
    guard isFirst else { return }
    if time <= .now() { return context.mergeInbox() }
    scheduleMerge(into: context, at: time)
  }

  private func scheduleMerge(into context: NSManagedObjectContext, at time: DispatchTime) {
    // Weak, because a pause must not extend the life of a context that the program has released.
    DispatchQueue.global().asyncAfter(deadline: time) { [weak context] in context?.mergeInbox() }
  }

  /// Merges the waiting changes, or schedules the merge for the end of the pause. Call it on the context's queue.
  func merge(into context: NSManagedObjectContext) {
    // Changes that arrive during a long merge schedule the next merge before the pause is known.
    let time = lock.withLock { pauseEnd }
    if time > .now() { return scheduleMerge(into: context, at: time) }
    let start = DispatchTime.now().uptimeNanoseconds
    context.merge(drain())
    let end = DispatchTime.now().uptimeNanoseconds
    guard end - start > Self.longMerge else { return }
    // The pause is as long as the merge, so that frequent saves of other writers leave the queue half of its time.
    lock.withLock { pauseEnd = DispatchTime(uptimeNanoseconds: end + (end - start)) }
  }

  /// Nanoseconds.
  private static let longMerge: UInt64 = 20_000_000

  private func note(_ changes: ForeignChanges) {
    for id in changes.ids.inserted { rows[id] = .inserted }
    // A row that was inserted and then updated is still new to this context.
    for id in changes.ids.updated where rows[id] != .inserted { rows[id] = .updated }
    for id in changes.ids.deleted { rows[id] = .deleted }
    for origin in changes.unnamed where !unnamed.contains(where: { $0 === origin }) {
      unnamed.append(origin)
    }
  }

  /// Removes all waiting changes and returns them.
  private func drain() -> ForeignChanges {
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

  /// Returns a description of an inconsistency in the waiting changes, or nil. Changes nothing.
  func checkInvariants() -> String? {
    lock.withLock {
      if Set(unnamed.map(ObjectIdentifier.init)).count != unnamed.count {
        return "a store whose changed rows are unknown is in the inbox twice"
      }
      // Other processes and coordinators can change only saved rows, whose keys are positive.
      return rows.keys.first { $0.key < 0 }.map { "the inbox contains a change of \($0)" }
    }
  }
}

extension NSManagedObjectContext {
  /// Merges the waiting changes on this context's queue.
  func mergeInbox() {
    perform { [weak self] in
      if let self { self.foreign.inbox.merge(into: self) }
    }
  }
}
