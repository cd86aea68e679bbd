/// The kind of result of a batch deletion.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
  /// The number `true`. A failed request throws an error instead.
  case resultTypeStatusOnly = 0
  /// The IDs of the deleted rows, including those that were deleted by cascading.
  case resultTypeObjectIDs = 1
  /// The number of deleted rows, including those that were deleted by cascading.
  case resultTypeCount = 2
}

/// A request that deletes all rows that a fetch request finds in SQLite stores, without creating objects.
///
/// ```swift
/// let old = NSFetchRequest<any NSFetchRequestResult>(entityName: "Job")
/// old.predicate = NSPredicate(format: "date < %@", Date(timeIntervalSinceNow: -86_400 * 365) as NSDate)
/// let request = NSBatchDeleteRequest(fetchRequest: old)
/// request.resultType = .resultTypeObjectIDs
/// let result = try context.execute(request) as? NSBatchDeleteResult
/// ```
///
/// The store applies delete rules. Cascade deletes the destinations of the relationship. Nullify removes the rows
/// from relationships that refer to them. If a relationship with a Deny rule has destinations that would remain, the
/// request throws `NSValidationRelationshipDeniedDeleteError`. If a remaining row would lose the destination of a
/// required relationship, the request throws `NSValidationMissingMandatoryPropertyError`. All rows of a store are
/// deleted in one transaction. If it fails, nothing is deleted in this store, but the deletions in preceding stores
/// remain.
///
/// A store that is not a SQLite store throws `NSPersistentStoreUnsupportedRequestTypeError`. To avoid this, set
/// `affectedStores` of this request or of the fetch request.
///
/// Compared to Apple's Core Data: contexts with `automaticallyMergesChangesFromParent` merge the deletions
/// automatically, and the result includes the rows that Cascade deleted.
nonisolated open class NSBatchDeleteRequest: NSPersistentStoreRequest {
  /// The request that finds the rows. Change it to delete other rows.
  ///
  /// It is a copy of the request that was passed to the initializer, and always the same object. You may change it
  /// until the deletion is executed. Its `affectedStores` are used if the batch request sets none.
  ///
  /// ```swift
  /// let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Job"))
  /// request.fetchRequest.predicate = NSPredicate(format: "customer == nil")
  /// try context.execute(request)
  /// ```
  public let fetchRequest: NSFetchRequest<any NSFetchRequestResult>
  /// The IDs that were passed to the initializer; nil if a fetch request was passed.
  private let ids: [NSManagedObjectID]?
  /// The error if the IDs cannot be deleted together; otherwise nil. It is determined during execution, because the
  /// objects may have been saved after the request was created.
  var objectIDsError: NSError? { Self.error(in: ids?.map(\.current) ?? []) }

  /// The kind of result.
  open var resultType: NSBatchDeleteRequestResultType = .resultTypeStatusOnly

  /// Called inside the transaction before the commit, with what will be deleted. An error that it throws rolls the
  /// transaction back and is passed to the caller. This lets a user confirm exactly what a deletion will do.
  package var beforeCommit: ((BatchDeletionFigures) throws -> Void)?

  /// Creates a request that deletes the results of a fetch request, with its limit, offset and order.
  ///
  /// ```swift
  /// let oldest = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
  /// oldest.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
  /// oldest.fetchLimit = 2
  /// try context.execute(NSBatchDeleteRequest(fetchRequest: oldest))
  /// ```
  public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
    fetchRequest = fetch.converted(to: fetch.resultType)
    ids = nil
    super.init()
  }

  /// The stores to delete from. The default is the fetch request's `affectedStores`; nil means all stores.
  open override var affectedStores: [NSPersistentStore]? {
    get { super.affectedStores ?? fetchRequest.affectedStores }
    set { super.affectedStores = newValue }
  }

  /// Creates a request that deletes the rows with some IDs, which must all be of one entity or its subentities.
  ///
  /// ```swift
  /// let request = NSBatchDeleteRequest(objectIDs: people.map(\.objectID))
  /// request.resultType = .resultTypeCount
  /// let result = try context.execute(request) as? NSBatchDeleteResult
  /// print(result?.result as? Int ?? 0)  // 5
  /// ```
  public convenience init(objectIDs objects: [NSManagedObjectID]) {
    self.init(request: Self.request(for: objects), ids: objects)
  }

  private init(request: NSFetchRequest<any NSFetchRequestResult>, ids: [NSManagedObjectID]) {
    fetchRequest = request
    self.ids = ids
    super.init()
  }

  private static func request(
    for ids: [NSManagedObjectID]
  ) -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    guard let first = ids.first else { return request }
    // Rows of all subentities are in the root's table, so a request for the root finds them all.
    request.entity =
      ids.allSatisfy { $0.layout === first.layout } ? first.layout.entity : first.layout.root.entity
    request.predicate = NSPredicate(format: "SELF IN %@", ids as NSArray)
    return request
  }

  private static func error(in ids: [NSManagedObjectID]) -> NSError? {
    guard let first = ids.first else { return nil }
    if let unsaved = ids.first(where: { $0.key < 0 }) {
      return CoreDataError.badRequest(
        "a batch deletion cannot delete the unsaved object \(unsaved): save it first")
    }
    // IDs of other coordinators may be of another copy of the model.
    guard let other = ids.first(where: { $0.layout.root.name != first.layout.root.name }) else {
      return nil
    }
    return CoreDataError.badRequest(
      "mismatched object IDs in a batch deletion: \(first) is of entity \(first.layout.name) and"
        + " \(other) of entity \(other.layout.name)")
  }

  /// Whether there is nothing to delete because the list of IDs was empty.
  var isEmpty: Bool {
    ids?.isEmpty == true && fetchRequest.entityName == nil && fetchRequest.entity == nil
      && fetchRequest.predicate == nil
  }

  open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }
}

/// The result of a batch deletion.
nonisolated open class NSBatchDeleteResult: NSPersistentStoreResult, @unchecked Sendable {
  /// The number `true`, an `[NSManagedObjectID]` or a number, depending on `resultType`. Numbers are `NSNumber`s,
  /// which cast to `Int` and `Bool`.
  ///
  /// ```swift
  /// let request = NSBatchDeleteRequest(objectIDs: [person.objectID])
  /// request.resultType = .resultTypeCount
  /// let result = try context.execute(request) as? NSBatchDeleteResult
  /// print(result?.result as? Int ?? 0)  // 1
  /// ```
  public let result: Any?
  /// The requested kind of result.
  public let resultType: NSBatchDeleteRequestResultType

  /// Creates an empty result, for use in tests.
  public override init() {
    result = nil
    resultType = .resultTypeStatusOnly
    super.init()
  }

  init(_ outcome: BatchOutcome, _ type: NSBatchDeleteRequestResultType) {
    resultType = type
    result =
      switch type {
      case .resultTypeStatusOnly: NSNumber(value: true)
      case .resultTypeObjectIDs: outcome.deleted.ids
      case .resultTypeCount: NSNumber(value: outcome.deleted.count)
      }
    super.init()
  }
}
