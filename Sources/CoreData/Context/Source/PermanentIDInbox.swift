import Synchronization

/// Permanent IDs that the root has published for a context below it. The thread that saves the root
/// adds them, and the context removes them.
///
/// A context adopts the IDs in its inbox before it looks up an object, so two contexts never use different
/// IDs for the same row.
final class PermanentIDInbox: @unchecked Sendable {
  /// Whether `lists` contains IDs. Atomic, so that a context can check this without the lock.
  private let isFilled = Atomic<Bool>(false)
  /// Protected by the lock of `TemporaryIDs`.
  private var lists: [PermanentIDAssignments] = []

  /// Whether there are permanent IDs to adopt.
  @inline(__always)
  var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

  /// Adds permanent IDs. Call it while `TemporaryIDs` publishes them.
  ///
  /// - Returns: Whether the inbox was empty.
  func add(_ new: PermanentIDAssignments) -> Bool {
    lists.append(new)
    return !isFilled.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Removes all IDs and returns them. Waits while another thread publishes IDs.
  func drain() -> [PermanentIDAssignments] {
    // A publication fills the inboxes of all contexts of a tree. No inbox is drained before all of them are filled.
    TemporaryIDs.shared.withoutPublishing {
      defer { lists = [] }
      isFilled.store(false, ordering: .releasing)
      return lists
    }
  }

  /// Returns the permanent ID that replaces a temporary ID, if the context has not adopted it yet.
  /// Otherwise returns the ID unchanged. May be called on any thread.
  func currentID(of id: NSManagedObjectID) -> NSManagedObjectID {
    if id.key > 0 || isEmpty { return id }
    let lists = TemporaryIDs.shared.withoutPublishing { self.lists }
    // The lists are searched outside of the lock, because the first lookup in a list builds its index.
    return lists.lazy.compactMap { $0[id.key]?.id }.first ?? id
  }

  /// Returns a description of an inconsistency, or nil. Changes nothing. Waits while another thread publishes IDs.
  func checkInvariants() -> String? {
    TemporaryIDs.shared.withoutPublishing {
      isEmpty == lists.isEmpty
        ? nil : "the flag of the inbox of permanent IDs does not match its content"
    }
  }
}

/// The permanent IDs of one save, which all contexts below the root share.
final class PermanentIDAssignments: @unchecked Sendable {
  let assignments: [PermanentIDAssignment]
  private let lock = NSLock()
  private var places: [Int64: Int]?

  init(_ assignments: [PermanentIDAssignment]) { self.assignments = assignments }

  /// The assignment of a temporary key. O(1), after O(n) for the first lookup.
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
