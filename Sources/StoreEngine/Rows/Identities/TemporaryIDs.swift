import Synchronization

/// The permanent IDs of saved objects by their temporary IDs, for all temporary IDs in use in this process.
///
/// A program, a request or a row in memory may contain the ID of an unsaved object when the object is saved.
/// Afterwards, the object's permanent ID is used instead of such an ID. An entry lives as long as an
/// `NSManagedObjectID` with its key does, so a temporary ID that is in use always has a meaning, and IDs that are no
/// longer in use take no memory.
///
/// Permanent IDs are published under this lock: they are recorded here and added to the inboxes of all contexts below
/// the root. Thus, no context can see a permanent ID before every other one can find out which object it identifies.
package final class TemporaryIDs: @unchecked Sendable {
  package static let shared = TemporaryIDs()

  private let lock = NSLock()
  private var entries: [Int64: Entry] = [:]
  /// The number of entries, for a save that only checks whether there are any.
  private let count = Atomic<Int>(0)

  private struct Entry {
    /// The number of IDs in memory with the key.
    var uses = 0
    var permanent: NSManagedObjectID?
  }

  /// Whether no temporary ID is in use.
  package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Counts a new ID with a key.
  package func addUse(of key: Int64) {
    lock.withLock {
      entries[key, default: Entry()].uses += 1
      count.store(entries.count, ordering: .relaxed)
    }
  }

  /// Counts an ID that is freed. The entry is removed with the last ID with its key.
  package func removeUse(of key: Int64) {
    lock.withLock {
      guard let entry = entries[key] else { return }
      if entry.uses > 1 {
        entries[key]?.uses -= 1
      } else {
        // This may free the permanent ID, which is safe under the lock: only
        // temporary IDs acquire it.
        entries[key] = nil
        count.store(entries.count, ordering: .relaxed)
      }
    }
  }

  /// Returns whether an ID with a key is in use.
  package func contains(_ key: Int64) -> Bool {
    lock.withLock { entries[key] != nil }
  }

  /// Returns the permanent ID of a key; nil if the object is unsaved, or if no ID with the key was in use when it was
  /// saved.
  package func permanentID(of key: Int64) -> NSManagedObjectID? {
    lock.withLock { entries[key]?.permanent }
  }

  /// Publishes permanent IDs to IDs in use and, at the same time, to contexts.
  ///
  /// - Parameter alongside: Adds the permanent IDs to the inboxes of contexts. Runs under the lock, so it must not
  ///   create or release temporary IDs or contexts.
  package func publish(_ assignments: [PermanentIDAssignment], alongside: () -> Void) {
    lock.withLock {
      if !entries.isEmpty {
        for assignment in assignments where entries[assignment.temporary] != nil {
          // Creating a permanent ID does not acquire the lock, which is not recursive.
          entries[assignment.temporary]?.permanent = assignment.id
        }
      }
      alongside()
    }
  }

  /// Runs `body` while no permanent IDs are published.
  package func withoutPublishing<Result>(_ body: () -> Result) -> Result {
    lock.withLock(body)
  }
}

extension NSManagedObjectID {
  /// This ID, or the permanent ID that has replaced this temporary ID.
  ///
  /// O(1); one comparison for a permanent ID.
  @inlinable @inline(__always)
  package var current: NSManagedObjectID { key < 0 ? permanentIfSaved : self }

  @usableFromInline @inline(never)
  var permanentIfSaved: NSManagedObjectID {
    TemporaryIDs.shared.permanentID(of: key) ?? self
  }
}
