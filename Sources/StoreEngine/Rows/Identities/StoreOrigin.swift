import Synchronization

/// Where IDs come from: an open store, or nowhere yet.
@usableFromInline
package final class StoreOrigin: @unchecked Sendable {
  /// Counts the stores that this process opened, in their order.
  package let number: Int32
  /// What the keys stand for in a store that names its objects itself; nil where the key is all.
  package let references: ReferenceObjectTable?
  private let lock = NSLock()
  private weak var openStore: AnyObject?
  private var lockedIdentifier: String

  package init(identifier: String, references: ReferenceObjectTable? = nil) {
    lockedIdentifier = identifier
    self.references = references
    number = Int32(truncatingIfNeeded: Self.numbers.add(1, ordering: .relaxed).newValue)
  }

  /// The store's UUID as text. A migration to another file gives the store's objects another one.
  package var identifier: String {
    get { lock.withLock { lockedIdentifier } }
    set { lock.withLock { lockedIdentifier = newValue } }
  }

  /// What stands for the store while it is open.
  package var owner: AnyObject? {
    get { lock.withLock { openStore } }
    set { lock.withLock { openStore = newValue } }
  }

  /// The origin of objects that were never saved.
  package static let temporary = StoreOrigin(identifier: UUID().uuidString)

  /// A key that no other temporary ID of this process has.
  package static func nextTemporaryKey() -> Int64 {
    temporaryKeys.subtract(1, ordering: .relaxed).newValue
  }

  private static let temporaryKeys = Atomic<Int64>(0)
  private static let numbers = Atomic<Int64>(0)
}
