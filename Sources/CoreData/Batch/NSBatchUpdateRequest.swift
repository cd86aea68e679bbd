/// The kind of result of a batch update.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
  /// The number `true`. A failure throws an error.
  case statusOnlyResultType = 0
  /// The IDs of the updated rows.
  case updatedObjectIDsResultType = 1
  /// The number of updated rows.
  case updatedObjectsCountResultType = 2
}

/// A request that sets new values in all rows of SQLite stores that a predicate selects, without creating objects.
///
/// ```swift
/// let request = NSBatchUpdateRequest(entityName: "Message")
/// request.predicate = NSPredicate(format: "isRead == NO AND mailbox.name == %@", "News")
/// request.propertiesToUpdate = ["isRead": true, "views": NSExpression(format: "views + 1")]
/// try context.execute(request)
/// ```
///
/// Nothing is validated, and no methods of objects are called. Relationships cannot be set. The rows get new versions,
/// so that a context that read them earlier detects the conflict when it saves. All rows of a store are updated in one
/// transaction. If the update of a store fails, the updates of preceding stores remain.
///
/// A store that is not a SQLite store throws `NSPersistentStoreUnsupportedRequestTypeError`. To avoid this, set
/// `affectedStores`.
///
/// Compared to Apple's Core Data: contexts with `automaticallyMergesChangesFromParent` merge the rows automatically;
/// expressions may follow to-one relationships; one update may swap unique values between rows.
nonisolated open class NSBatchUpdateRequest: NSPersistentStoreRequest {
  private let batchEntity: BatchEntity

  /// The condition for rows; nil selects all rows.
  open var predicate: NSPredicate?
  /// Whether to update rows of subentities too.
  open var includesSubentities = true
  /// The new values by property. Keys are names or property descriptions. Values are constants, `NSNull` for nil, or
  /// expressions that are evaluated on the row.
  ///
  /// ```swift
  /// let request = NSBatchUpdateRequest(entityName: "Person")
  /// request.propertiesToUpdate = [
  ///   "age": NSExpression(format: "age + 1"), "displayOrder": 0, "firstName": NSNull(),
  /// ]
  /// ```
  open var propertiesToUpdate: [AnyHashable: Any]?
  /// The kind of result.
  ///
  /// ```swift
  /// let request = NSBatchUpdateRequest(entityName: "Person")
  /// request.propertiesToUpdate = ["displayOrder": 0]
  /// request.resultType = .updatedObjectIDsResultType
  /// let result = try context.execute(request) as? NSBatchUpdateResult
  /// let ids = result?.result as? [NSManagedObjectID] ?? []
  /// ```
  open var resultType: NSBatchUpdateRequestResultType = .statusOnlyResultType

  /// Creates a request for an entity, which is looked up by name when the request is executed.
  public init(entityName: String) {
    batchEntity = BatchEntity(name: entityName)
    super.init()
  }

  /// Creates a request for an entity.
  ///
  /// ```swift
  /// let request = NSBatchUpdateRequest(entity: Person.entity())
  /// request.predicate = NSPredicate(format: "lastName BEGINSWITH 'T'")
  /// request.propertiesToUpdate = ["firstName": NSNull()]
  /// try context.execute(request)
  /// ```
  public init(entity: NSEntityDescription) {
    batchEntity = BatchEntity(entity)
    super.init()
  }

  /// Creates a request without an entity. It cannot be executed.
  public override convenience init() { self.init(entityName: "") }

  /// The name of the entity.
  open var entityName: String { batchEntity.name }

  /// The entity.
  ///
  /// Compared to Apple's Core Data: if the request was created with an entity name and has not been
  /// executed yet, this is an entity without a model; Apple's Core Data raises an exception.
  open var entity: NSEntityDescription { batchEntity.entity ?? batchEntity.unresolved }

  open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

  func layout(in model: ModelLayout) throws -> EntityLayout { try batchEntity.layout(in: model) }
}

/// The result of a batch update.
nonisolated open class NSBatchUpdateResult: NSPersistentStoreResult, @unchecked Sendable {
  /// The number `true`, an `[NSManagedObjectID]` or a number, depending on `resultType`. Numbers are `NSNumber`s,
  /// which cast to `Int` and `Bool`.
  ///
  /// ```swift
  /// let request = NSBatchUpdateRequest(entityName: "Person")
  /// request.propertiesToUpdate = ["displayOrder": 0]
  /// request.resultType = .updatedObjectIDsResultType
  /// let result = try context.execute(request) as? NSBatchUpdateResult
  /// let ids = result?.result as? [NSManagedObjectID] ?? []
  /// NSManagedObjectContext.mergeChanges(
  ///   fromRemoteContextSave: [NSUpdatedObjectIDsKey: ids], into: [context])
  /// ```
  public let result: Any?
  /// The requested kind of result.
  public let resultType: NSBatchUpdateRequestResultType

  /// Creates an empty result, for use in tests.
  public override init() {
    result = nil
    resultType = .statusOnlyResultType
    super.init()
  }

  init(_ outcome: BatchOutcome, _ type: NSBatchUpdateRequestResultType) {
    resultType = type
    result =
      switch type {
      case .statusOnlyResultType: NSNumber(value: true)
      case .updatedObjectIDsResultType: outcome.updated.ids
      case .updatedObjectsCountResultType: NSNumber(value: outcome.updated.count)
      }
    super.init()
  }
}
