/// What an update of many rows gives as its result.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
  /// Whether it went well: `true`, because what goes wrong is thrown.
  case statusOnlyResultType = 0
  /// The IDs of the rows that were updated.
  case updatedObjectIDsResultType = 1
  /// The number of rows that were updated.
  case updatedObjectsCountResultType = 2
}

/// Gives new values to all rows of a SQLite store that a predicate picks, without making objects of
/// them.
///
/// ```swift
/// let request = NSBatchUpdateRequest(entityName: "Message")
/// request.predicate = NSPredicate(format: "isRead == NO AND mailbox.name == %@", "News")
/// request.propertiesToUpdate = ["isRead": true, "views": NSExpression(format: "views + 1")]
/// try context.execute(request)
/// ```
///
/// Nothing is validated and no object is told of anything. Relationships cannot be set. The rows get
/// new versions, so a context that read them before finds out when it saves. All rows of a store
/// are one transaction.
///
/// A store that is not SQLite's throws `NSPersistentStoreUnsupportedRequestTypeError`: name the
/// others in `affectedStores`.
///
/// Compared to Apple's Core Data: contexts with `automaticallyMergesChangesFromParent` merge the rows
/// by themselves; an expression may follow to-one relationships; unique values may be exchanged.
nonisolated open class NSBatchUpdateRequest: NSPersistentStoreRequest {
  private let batchEntity: BatchEntity

  /// Which rows; nil means all.
  open var predicate: NSPredicate?
  /// Whether rows of subentities are updated too.
  open var includesSubentities = true
  /// The new values by property: names or property descriptions as keys; constants, `NSNull` for nil,
  /// or expressions of the row as values.
  open var propertiesToUpdate: [AnyHashable: Any]?
  /// What is wanted as the result.
  open var resultType: NSBatchUpdateRequestResultType = .statusOnlyResultType

  /// Makes a request for an entity that is looked up by its name when the request is executed.
  public init(entityName: String) {
    batchEntity = BatchEntity(name: entityName)
    super.init()
  }

  /// Makes a request for an entity.
  public init(entity: NSEntityDescription) {
    batchEntity = BatchEntity(entity)
    super.init()
  }

  /// Makes a request without an entity. It cannot be executed.
  public override convenience init() { self.init(entityName: "") }

  /// The name of the entity.
  open var entityName: String { batchEntity.name }

  /// The entity.
  ///
  /// Compared to Apple's Core Data: of a request made by name and not executed yet, an entity without
  /// a model, where Apple's raises.
  open var entity: NSEntityDescription { batchEntity.entity ?? batchEntity.unresolved }

  open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

  func layout(in model: ModelLayout) throws -> EntityLayout { try batchEntity.layout(in: model) }
}

/// The result of a batch update.
nonisolated open class NSBatchUpdateResult: NSPersistentStoreResult, @unchecked Sendable {
  /// The number `true`, an `[NSManagedObjectID]` or a number, as `resultType` says. Numbers are `NSNumber`s, which
  /// cast to `Int` and `Bool`.
  public let result: Any?
  /// What was asked for.
  public let resultType: NSBatchUpdateRequestResultType

  /// Makes a result of nothing, as a stand-in in tests.
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
