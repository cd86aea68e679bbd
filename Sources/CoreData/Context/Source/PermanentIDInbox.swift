import Synchronization

/// Permanent IDs that the root has published for a context below it. The thread that saves the root
/// adds them, and the context removes them.
///
/// A context adopts its inbox before looking up an object, so two contexts never know a row by
/// different IDs.
final class PermanentIDInbox: @unchecked Sendable {
  /// Whether there are permanent IDs. If there are none, the context finds this out with one load.
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
    // Between two publications, all contexts of a tree can adopt the same IDs.
    TemporaryIDs.shared.withoutPublishing {
      defer { lists = [] }
      isFilled.store(false, ordering: .releasing)
      return lists
    }
  }

  /// Returns the permanent ID that replaces a temporary one and that the context has not adopted
  /// yet. Returns any other ID unchanged. May be called on any thread.
  func currentID(of id: NSManagedObjectID) -> NSManagedObjectID {
    if id.key > 0 || isEmpty { return id }
    let lists = TemporaryIDs.shared.withoutPublishing { self.lists }
    // The lists are searched outside of the lock, because a list builds its index for the first
    // lookup.
    return lists.lazy.compactMap { $0[id.key]?.id }.first ?? id
  }

  /// Returns a description of an inconsistency, or nil. Changes nothing. Waits while another thread publishes IDs.
  func checkInvariants() -> String? {
    TemporaryIDs.shared.withoutPublishing {
      isEmpty == lists.isEmpty
        ? nil : "the mark of the inbox of permanent IDs disagrees with its content"
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
