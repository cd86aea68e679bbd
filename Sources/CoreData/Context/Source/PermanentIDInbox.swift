import Synchronization

/// Permanent IDs that the root's objects got, on their way to a context below it. Filled by the thread that saves the root,
/// emptied by the context.
///
/// A context empties its box before it looks an object up, so two contexts never know one row by different IDs.
final class PermanentIDInbox: @unchecked Sendable {
  /// Set while there are permanent IDs, so that a context with nothing to adopt pays one load.
  private let isFilled = Atomic<Bool>(false)
  /// Changed while `TemporaryIDs` is locked.
  private var lists: [PermanentIDAssignments] = []

  /// Whether there are permanent IDs to adopt.
  @inline(__always)
  var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

  /// Adds permanent IDs; to be called while `TemporaryIDs` publishes them.
  ///
  /// - Returns: whether there were none before.
  func add(_ new: PermanentIDAssignments) -> Bool {
    lists.append(new)
    return !isFilled.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Returns everything, and empties the box. Waits for a thread that is filling boxes, so what one context of a tree can adopt, all can.
  func drain() -> [PermanentIDAssignments] {
    TemporaryIDs.shared.withoutPublishing {
      defer { lists = [] }
      isFilled.store(false, ordering: .releasing)
      return lists
    }
  }

  /// The ID that an ID made by the context's own keys has become, which the context has not adopted yet. May be called
  /// on any thread.
  func present(_ id: NSManagedObjectID) -> NSManagedObjectID {
    if id.key > 0 || isEmpty { return id }
    let lists = TemporaryIDs.shared.withoutPublishing { self.lists }
    return lists.lazy.compactMap { $0[id.key]?.id }.first ?? id
  }
}

/// The permanent IDs of one save, which all contexts below the root share.
final class PermanentIDAssignments: @unchecked Sendable {
  let assignments: [PermanentIDAssignment]
  private let lock = NSLock()
  private var places: [Int64: Int]?

  init(_ assignments: [PermanentIDAssignment]) { self.assignments = assignments }

  /// The assignment of a temporary key. O(1), after O(n) for the first question.
  subscript(temporary: Int64) -> PermanentIDAssignment? {
    lock.withLock {
      let known =
        places
        ?? Dictionary(zip(assignments.map(\.temporary), assignments.indices)) { first, _ in first }
      places = known
      return known[temporary].map { assignments[$0] }
    }
  }
}
