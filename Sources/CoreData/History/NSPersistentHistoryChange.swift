import Synchronization

/// A change that one transaction of the persistent history made to one object.
///
/// It is immutable and may be used on any thread.
///
/// ```swift
/// func summary(of change: NSPersistentHistoryChange) -> String {
///   switch change.changeType {
///   case .insert: return "inserted \(change.changedObjectID)"
///   case .update: return "changed \((change.updatedProperties ?? []).map(\.name).sorted())"
///   case .delete: return "deleted \(change.tombstone ?? [:])"
///   }
/// }
/// ```
nonisolated open class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {
  let row: HistoryChangeRow
  private let origin: StoreOrigin
  /// The row of the transaction, from which a new transaction object is created if the first was released.
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

  /// Creates an insertion of an object that does not exist, for use in tests.
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

  func attach(to transaction: NSPersistentHistoryTransaction) {
    owner.withLock { $0.transaction = transaction }
  }

  /// The number of the change in the store's history.
  open var changeID: Int64 { row.id }
  /// The ID of the changed object. The row of a deleted object no longer exists.
  open var changedObjectID: NSManagedObjectID {
    NSManagedObjectID(layout: row.layout, key: row.key, origin: origin)
  }
  /// The type of the change.
  open var changeType: NSPersistentHistoryChangeType { row.type }

  /// The preserved values of a deleted object: the values of attributes with `preservesValueInHistoryOnDeletion` by
  /// name, without those that were nil. It is nil for other changes, and if the entity has no such attribute.
  ///
  /// ```swift
  /// func deletedNames(in changes: [NSPersistentHistoryChange]) -> [String] {
  ///   changes.compactMap { $0.tombstone?["lastName"] as? String }
  /// }
  /// ```
  open var tombstone: [AnyHashable: Any]? { row.tombstone }

  /// The properties that an update changed, including relationships. It is nil for insertions and deletions, and for
  /// updates that were recorded with an older version of the model.
  ///
  /// ```swift
  /// func ageChanges(in changes: [NSPersistentHistoryChange]) -> [NSManagedObjectID] {
  ///   changes.filter { $0.updatedProperties?.contains { $0.name == "age" } == true }
  ///     .map(\.changedObjectID)
  /// }
  /// ```
  open var updatedProperties: Set<NSPropertyDescription>? {
    guard row.type == .update, let slots = row.slots else { return nil }
    // For a composite attribute, the history contains its elements.
    return Set(
      slots.map { slot in
        let slot = row.layout.slots[slot]
        return slot.composite.map { row.layout.slots[$0].property } ?? slot.property
      })
  }

  /// The transaction of the change. A transaction retains its changes, but a change does not retain its transaction. If
  /// the transaction was released, and in results that contain only changes, this is a new transaction without changes.
  /// Nil only for a change that a program created.
  open var transaction: NSPersistentHistoryTransaction? {
    if let held = owner.withLock({ $0.transaction }) { return held }
    return transactionRow.map { NSPersistentHistoryTransaction($0, storeID: storeID) }
  }

  /// Returns the change itself, because it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override var description: String {
    "<NSPersistentHistoryChange \(changeID): \(changeType) of \(changedObjectID)>"
  }

  // MARK: Requests

  /// Returns the entity of requests for changes. Its attributes are `changeID`, `changeType`, `changedEntity`,
  /// `changedID` (the primary key of the changed row) and `changedObjectID`.
  ///
  /// Compared to Apple's Core Data: never nil.
  open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
    HistoryEntities.change
  }

  /// The same entity as `entityDescription(with:)`.
  open class var entityDescription: NSEntityDescription? { HistoryEntities.change }

  /// A new request for changes. Set its predicate, sort descriptors and limits, and pass it to
  /// `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`.
  ///
  /// Compared to Apple's Core Data: never nil.
  ///
  /// ```swift
  /// if let fetch = NSPersistentHistoryChange.fetchRequest {
  ///   fetch.predicate = NSPredicate(
  ///     format: "changedEntity == %@ AND changeType == %d", "Person",
  ///     NSPersistentHistoryChangeType.delete.rawValue)
  /// }
  /// ```
  open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    HistoryEntities.request(for: HistoryEntities.change)
  }
}
