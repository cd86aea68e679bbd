import Synchronization

/// The origin of object IDs: the store that contains the objects, or ``temporary`` for objects that were never saved.
@usableFromInline
package final class StoreOrigin: @unchecked Sendable {
  /// A number that no other origin in this process has. Stores that were opened later have larger numbers.
  package let number: Int32
  /// The reference objects of a custom store; nil for other stores.
  package let references: ReferenceObjectTable?
  private let lock = NSLock()
  // Weak, because an object ID must not keep its store open.
  private weak var openStore: AnyObject?
  private var lockedIdentifier: String

  package init(identifier: String, references: ReferenceObjectTable? = nil) {
    lockedIdentifier = identifier
    self.references = references
    number = Int32(truncatingIfNeeded: Self.numbers.add(1, ordering: .relaxed).newValue)
  }

  /// The UUID of the store as a string. It changes if the store is moved to another file, or if the program sets
  /// another UUID in the metadata.
  package var identifier: String {
    get { lock.withLock { lockedIdentifier } }
    set { lock.withLock { lockedIdentifier = newValue } }
  }

  /// The store object, while the store is open.
  package var owner: AnyObject? {
    get { lock.withLock { openStore } }
    set { lock.withLock { openStore = newValue } }
  }

  /// The origin of objects that were never saved.
  package static let temporary = StoreOrigin(identifier: UUID().uuidString)

  /// Returns a key that no other temporary ID of this process has.
  package static func nextTemporaryKey() -> Int64 {
    temporaryKeys.subtract(1, ordering: .relaxed).newValue
  }

  private static let temporaryKeys = Atomic<Int64>(0)
  private static let numbers = Atomic<Int64>(0)
}
