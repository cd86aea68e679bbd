import Synchronization

/// The permanent IDs that temporary ones stand for by now, of all temporary IDs in use in this process.
///
/// A program, a request or a row in memory may hold the ID of an unsaved object when the object is saved. Wherever such
/// an ID is used afterwards, the object's permanent ID takes its place. An entry lives as long as an `NSManagedObjectID`
/// with its key does, so a temporary ID that is in use never loses its meaning, and IDs that are no longer in use take no
/// memory.
///
/// The lock is also the moment in which permanent IDs become known: while it is held, they are entered here and put into
/// the inboxes of all contexts below the root. So no context can meet a permanent ID before every other one can learn
/// which object it names.
package final class TemporaryIDs: @unchecked Sendable {
  package static let shared = TemporaryIDs()

  private let lock = NSLock()
  private var entries: [Int64: Entry] = [:]
  /// The number of entries, for a save that only asks whether there are any.
  private let count = Atomic<Int>(0)

  private struct Entry {
    /// How many IDs in memory have the key.
    var uses = 0
    var permanent: NSManagedObjectID?
  }

  /// Whether a temporary ID is in use anywhere.
  package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Counts an ID that was made with a key.
  package func addUse(of key: Int64) {
    lock.withLock {
      entries[key, default: Entry()].uses += 1
      count.store(entries.count, ordering: .relaxed)
    }
  }

  /// Counts an ID that ends; the last one with its key takes the entry with it.
  package func removeUse(of key: Int64) {
    lock.withLock {
      guard let entry = entries[key] else { return }
      if entry.uses > 1 {
        entries[key]?.uses -= 1
      } else {
        entries[key] = nil
        count.store(entries.count, ordering: .relaxed)
      }
    }
  }

  /// Whether an ID with a key is in use.
  package func contains(_ key: Int64) -> Bool {
    lock.withLock { entries[key] != nil }
  }

  /// The permanent ID of a key; nil while the object is unsaved, and where no ID with the key was in use when it was
  /// saved.
  package func permanentID(of key: Int64) -> NSManagedObjectID? {
    lock.withLock { entries[key]?.permanent }
  }

  /// Makes permanent IDs known to IDs in use and, in the same moment, to contexts.
  ///
  /// - Parameter alongside: puts the permanent IDs into the inboxes of contexts. Runs while the lock is held, so it must not
  ///   make or release temporary IDs, nor contexts.
  package func publish(_ assignments: [PermanentIDAssignment], alongside: () -> Void) {
    lock.withLock {
      if !entries.isEmpty {
        for assignment in assignments where entries[assignment.temporary] != nil {
          entries[assignment.temporary]?.permanent = assignment.id
        }
      }
      alongside()
    }
  }

  /// Runs `body` while no permanent IDs become known.
  package func withoutPublishing<Result>(_ body: () -> Result) -> Result {
    lock.withLock(body)
  }
}

extension NSManagedObjectID {
  /// This ID, or the permanent one that the object of this temporary ID has got.
  ///
  /// O(1); one comparison for a permanent ID.
  @inlinable @inline(__always)
  package var current: NSManagedObjectID { key < 0 ? permanentIfSaved : self }

  @usableFromInline @inline(never)
  var permanentIfSaved: NSManagedObjectID {
    TemporaryIDs.shared.permanentID(of: key) ?? self
  }
}
