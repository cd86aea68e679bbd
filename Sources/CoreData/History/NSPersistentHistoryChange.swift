import Synchronization

/// What one transaction of the persistent history did with one object.
///
/// Cannot change, and may be used on any thread.
nonisolated open class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {
  let row: HistoryChangeRow
  private let origin: StoreOrigin
  /// What is known of the transaction where nobody holds it.
  private let transactionRow: HistoryTransactionRow?
  private let storeID: String
  private let owner = Mutex<WeakTransaction>(WeakTransaction())

  private struct WeakTransaction { weak var transaction: NSPersistentHistoryTransaction? }

  init(_ row: HistoryChangeRow, _ transaction: HistoryTransactionRow?, _ origin: StoreOrigin) {
    self.row = row
    self.origin = origin
    transactionRow = transaction
    storeID = origin.identifier
    super.init()
  }

  /// Makes the insertion of an object that does not exist, as a stand-in in tests.
  public override init() {
    let id = NSManagedObjectID()
    row = HistoryChangeRow(
      id: 0, transaction: 0, type: .insert, layout: id.layout, key: id.key, slots: nil,
      tombstone: nil)
    origin = id.origin
    transactionRow = nil
    storeID = ""
    super.init()
  }

  func belong(to transaction: NSPersistentHistoryTransaction) {
    owner.withLock { $0.transaction = transaction }
  }

  /// The number of the change in the store's history.
  open var changeID: Int64 { row.id }
  /// The object that was changed; a deleted one has no row any more.
  open var changedObjectID: NSManagedObjectID {
    NSManagedObjectID(layout: row.layout, key: row.key, origin: origin)
  }
  /// What was done.
  open var changeType: NSPersistentHistoryChangeType { row.type }

  /// What is left of a deleted object: the values of the attributes with
  /// `preservesValueInHistoryOnDeletion`, by name; those that were nil are not there. Nil for other
  /// changes, and where the entity has no such attribute.
  open var tombstone: [AnyHashable: Any]? { row.tombstone }

  /// The properties that an update changed, relationships too. Nil for insertions and deletions, and for
  /// updates that were recorded with an older version of the model.
  open var updatedProperties: Set<NSPropertyDescription>? {
    guard row.type == .update, let slots = row.slots else { return nil }
    // Of a composite attribute the elements are kept.
    return Set(
      slots.map { slot in
        let slot = row.layout.slots[slot]
        return slot.composite.map { row.layout.slots[$0].property } ?? slot.property
      })
  }

  /// The transaction that the change belongs to. It holds its changes, and not the other way
  /// round: of a request for changes alone it is a transaction that names none.
  open var transaction: NSPersistentHistoryTransaction? {
    if let held = owner.withLock({ $0.transaction }) { return held }
    return transactionRow.map { NSPersistentHistoryTransaction($0, storeID: storeID) }
  }

  /// The same change: it cannot change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override var description: String {
    "<NSPersistentHistoryChange \(changeID): \(changeType) of \(changedObjectID)>"
  }

  // MARK: Requests

  /// The entity that a request for changes is for: its attributes are `changeID`, `changeType`,
  /// `changedEntity` and `changedObjectID`.
  ///
  /// Compared to Apple's Core Data: never nil.
  open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
    HistoryEntities.change
  }

  /// As `entityDescription(with:)`.
  open class var entityDescription: NSEntityDescription? { HistoryEntities.change }

  /// A new request for changes, to be given a predicate, sort descriptors and limits, for
  /// `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`.
  ///
  /// Compared to Apple's Core Data: never nil.
  open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    HistoryEntities.request(for: HistoryEntities.change)
  }
}
