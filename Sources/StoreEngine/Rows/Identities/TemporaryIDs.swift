import Synchronization

/// The permanent IDs of saved objects by their temporary IDs, for all temporary IDs in use in this process.
///
/// When an object is saved, the program, a request or a row in memory may still contain its temporary ID. From then on,
/// the permanent ID is used in its place. An entry lives as long as an `NSManagedObjectID` with its key does, so the
/// permanent ID is known for every temporary ID in use, and IDs that are no longer in use need no memory.
///
/// Permanent IDs are published under a lock: they are recorded here and added to the inboxes of all contexts below the
/// root context. Thus, a context can see a permanent ID only when every other context can look up which object it
/// identifies.
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

  /// Counts a new ID in memory with a key.
  package func addUse(of key: Int64) {
    lock.withLock {
      entries[key, default: Entry()].uses += 1
      count.store(entries.count, ordering: .relaxed)
    }
  }

  /// Stops counting an ID that is freed. Removes the entry if this was the last ID with the key.
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

  /// Returns the permanent ID of a key; nil if the object has none, or if no ID with the key was in use when the object
  /// got it.
  package func permanentID(of key: Int64) -> NSManagedObjectID? {
    lock.withLock { entries[key]?.permanent }
  }

  /// Records the permanent IDs for the temporary IDs in use and, under the same lock, publishes them to contexts.
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
