/// What a deletion of many rows gives as its result.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
  /// Whether it went well: `true`, because what goes wrong is thrown.
  case resultTypeStatusOnly = 0
  /// The IDs of the rows that were deleted, with those that went with them.
  case resultTypeObjectIDs = 1
  /// The number of those rows.
  case resultTypeCount = 2
}

/// Deletes all rows of a SQLite store that a fetch request finds, without making objects of them.
///
/// ```swift
/// let old = NSFetchRequest<any NSFetchRequestResult>(entityName: "Job")
/// old.predicate = NSPredicate(format: "date < %@", Date(timeIntervalSinceNow: -86_400 * 365) as NSDate)
/// let request = NSBatchDeleteRequest(fetchRequest: old)
/// request.resultType = .resultTypeObjectIDs
/// let result = try context.execute(request) as? NSBatchDeleteResult
/// ```
///
/// Delete rules are carried out in the store. Cascade deletes what the relationship leads to;
/// Nullify takes the rows out of the relationships that lead to them. A Deny rule with members that
/// stay ends the request with `NSValidationRelationshipDeniedDeleteError`, and a relationship that
/// would be left without its mandatory destination with `NSValidationMissingMandatoryPropertyError`;
/// then nothing is deleted. All rows of a store are one transaction.
///
/// A store that is not SQLite's throws `NSPersistentStoreUnsupportedRequestTypeError`: name the
/// others in `affectedStores`, of this request or of the fetch request.
///
/// Compared to Apple's Core Data: contexts with `automaticallyMergesChangesFromParent` merge the
/// deletions by themselves; the result has the rows that Cascade deleted, too.
nonisolated open class NSBatchDeleteRequest: NSPersistentStoreRequest {
  /// The request that finds the rows. Change it to delete others.
  ///
  /// It is a copy of the request that this one was made with, and always the same object: what is set here before
  /// the execution counts, its `affectedStores` where this request names none.
  public let fetchRequest: NSFetchRequest<any NSFetchRequestResult>
  /// The IDs that the request was made of, if it was.
  private let ids: [NSManagedObjectID]
  /// Why the IDs that the request was made of cannot be deleted together; found out when it is executed, as
  /// objects may have been saved since it was made.
  var mistake: NSError? { Self.mistake(in: ids.map(\.current)) }

  /// What is wanted as the result.
  open var resultType: NSBatchDeleteRequestResultType = .resultTypeStatusOnly

  /// Called inside the transaction with what goes, before anything is committed; what it throws takes all of it
  /// back, and is thrown as it is. So somebody can be told what a deletion would do, and have exactly that done.
  package var beforeCommit: ((BatchDeletionFigures) throws -> Void)?

  /// Deletes what a request finds, with its limit, offset and order.
  public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
    fetchRequest = fetch.converted(to: fetch.resultType)
    ids = []
    super.init()
  }

  /// The stores to delete from; those of the fetch request unless others are set. Nil means all.
  open override var affectedStores: [NSPersistentStore]? {
    get { super.affectedStores ?? fetchRequest.affectedStores }
    set { super.affectedStores = newValue }
  }

  /// Deletes the rows of some IDs, all of one entity or of its subentities.
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
    request.entity =
      ids.allSatisfy { $0.layout === first.layout } ? first.entity : first.layout.root.entity
    request.predicate = NSPredicate(format: "SELF IN %@", ids as NSArray)
    return request
  }

  private static func mistake(in ids: [NSManagedObjectID]) -> NSError? {
    guard let first = ids.first else { return nil }
    if let unsaved = ids.first(where: \.isTemporaryID) {
      return CoreDataError.badRequest(
        "a batch deletion of objects that were not saved is not possible: \(unsaved)")
    }
    guard let other = ids.first(where: { $0.layout.root !== first.layout.root }) else { return nil }
    return CoreDataError.badRequest(
      "mismatched object IDs in a batch deletion: \(first) is of entity \(first.layout.name) and"
        + " \(other) of entity \(other.layout.name)")
  }

  /// Whether there is nothing to delete: the request was made of no IDs.
  var isEmpty: Bool {
    fetchRequest.entityName == nil && fetchRequest.entity == nil && fetchRequest.predicate == nil
  }

  open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }
}

/// The result of a batch deletion.
nonisolated open class NSBatchDeleteResult: NSPersistentStoreResult, @unchecked Sendable {
  /// The number `true`, an `[NSManagedObjectID]` or a number, as `resultType` says. Numbers are `NSNumber`s, which
  /// cast to `Int` and `Bool`.
  public let result: Any?
  /// What was asked for.
  public let resultType: NSBatchDeleteRequestResultType

  /// Makes a result of nothing, as a stand-in in tests.
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
