/// What an insertion of many rows gives as its result.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
  /// Whether it went well: `true`, because what goes wrong is thrown.
  case statusOnly = 0
  /// The IDs of the rows that were inserted, and of those that were updated in their place.
  case objectIDs = 1
  /// The number of those rows.
  case count = 2
}

/// Inserts many rows into a SQLite store without making objects of them.
///
/// ```swift
/// let request = NSBatchInsertRequest(entityName: "Person", objects: [["lastName": "Lovelace"], ["lastName": "Hopper"]])
/// request.resultType = .count
/// let result = try context.execute(request) as? NSBatchInsertResult
/// ```
///
/// Nothing is validated but that there is a value where the model asks for one; no object is told of
/// anything. Attributes that are not given have the model's default values, keys that are no
/// properties of the entity are ignored, and relationships cannot be given. The rows are one
/// transaction: an error at one of them leaves nothing of the request behind.
///
/// Where a uniqueness constraint would be broken, the merge policy of the context decides: the
/// error policy ends the request with `NSManagedObjectConstraintMergeError`; the policies by which
/// the store wins leave the new row out; those by which the object wins write the attributes that
/// were given into the row that is there, and leave its others alone.
///
/// A handler is called on the thread that executes the request, inside the store's transaction: others
/// wait with their saves meanwhile, and it may fetch from the store and not save to it.
///
/// The rows go to the first store of `affectedStores`, else of the coordinator, that keeps the
/// entity and can be written. A store that is not SQLite's throws
/// `NSPersistentStoreUnsupportedRequestTypeError`.
///
/// Compared to Apple's Core Data: contexts with `automaticallyMergesChangesFromParent` merge the rows
/// by themselves; a relationship with a value is an error; the dictionary that a handler is given is
/// read and written by its keys, and a cast of it to a Swift `Dictionary` is empty.
nonisolated open class NSBatchInsertRequest: NSPersistentStoreRequest {
  private let batchEntity: BatchEntity

  /// The rows as dictionaries of attribute values by name; nil where a handler gives them.
  open var objectsToInsert: [[String: Any]]?
  /// Fills in one row after another, and gives true when there is none left.
  open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
  /// Fills in one object after another, and gives true when there is none left.
  open var managedObjectHandler: ((NSManagedObject) -> Bool)?
  /// What is wanted as the result.
  open var resultType: NSBatchInsertRequestResultType = .statusOnly

  /// The attributes that `rowHandler` gives, in its order.
  let rowProperties: [String]
  let rowHandler: ((inout BatchRow) -> Bool)?

  /// Inserts rows of an entity that is looked up by its name when the request is executed.
  public init(entityName: String, objects dictionaries: [[String: Any]]) {
    batchEntity = BatchEntity(name: entityName)
    objectsToInsert = dictionaries
    (rowProperties, rowHandler) = ([], nil)
    super.init()
  }

  /// Inserts rows of an entity.
  public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
    batchEntity = BatchEntity(entity)
    objectsToInsert = dictionaries
    (rowProperties, rowHandler) = ([], nil)
    super.init()
  }

  private init(
    _ batchEntity: BatchEntity, _ properties: [String] = [],
    _ rowHandler: ((inout BatchRow) -> Bool)? = nil
  ) {
    self.batchEntity = batchEntity
    rowProperties = properties
    self.rowHandler = rowHandler
    super.init()
  }

  /// Makes a request without an entity. It cannot be executed.
  public override convenience init() { self.init(BatchEntity(name: "")) }

  /// Inserts rows that a handler puts into a dictionary, which is empty at each call. The call that
  /// gives true inserts nothing.
  public convenience init(
    entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(BatchEntity(name: entityName))
    dictionaryHandler = handler
  }

  /// Inserts rows that a handler puts into a dictionary, which is empty at each call. The call that
  /// gives true inserts nothing.
  public convenience init(
    entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(BatchEntity(entity))
    dictionaryHandler = handler
  }

  /// Inserts rows that a handler sets in an object without a context, which has default values at
  /// each call. The call that gives true inserts nothing.
  ///
  /// Where a row that is there is updated, the attributes that the handler set count as given, also those that it set
  /// to nil or to their default values.
  public convenience init(
    entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(BatchEntity(name: entityName))
    managedObjectHandler = handler
  }

  /// Inserts rows that a handler sets in an object without a context, which has default values at
  /// each call. The call that gives true inserts nothing.
  ///
  /// Where a row that is there is updated, the attributes that the handler set count as given, also those that it set
  /// to nil or to their default values.
  public convenience init(
    entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(BatchEntity(entity))
    managedObjectHandler = handler
  }

  /// Inserts rows whose values a handler sets by their place in a list of attributes: the form that
  /// costs least.
  ///
  /// ```swift
  /// var rest = [("Lovelace", 36), ("Turing", 41)].makeIterator()
  /// let request = NSBatchInsertRequest(entityName: "Person", properties: ["lastName", "age"]) { row in
  ///   guard let (lastName, age) = rest.next() else { return true }
  ///   row.set(lastName, at: 0)
  ///   row.set(age, at: 1)
  ///   return false
  /// }
  /// ```
  ///
  /// An attribute that is not set in a row is nil in a new row, and stays as it is where a row that is there is updated.
  /// The call that gives true inserts nothing.
  ///
  /// Compared to Apple's Core Data: new.
  public convenience init(
    entityName: String, properties: [String], rowHandler: @escaping (inout BatchRow) -> Bool
  ) {
    self.init(BatchEntity(name: entityName), properties, rowHandler)
  }

  /// The name of the entity.
  open var entityName: String { batchEntity.name }
  /// The entity; nil for a request made by name until it was executed.
  open var entity: NSEntityDescription? { batchEntity.entity }

  open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

  func layout(in model: ModelLayout) throws -> EntityLayout { try batchEntity.layout(in: model) }
}

/// The result of a batch insertion.
nonisolated open class NSBatchInsertResult: NSPersistentStoreResult, @unchecked Sendable {
  /// The number `true`, an `[NSManagedObjectID]` or a number, as `resultType` says. Numbers are `NSNumber`s, which
  /// cast to `Int` and `Bool`.
  public let result: Any?
  /// What was asked for.
  public let resultType: NSBatchInsertRequestResultType

  /// Makes a result of nothing, as a stand-in in tests.
  public override init() {
    result = nil
    resultType = .statusOnly
    super.init()
  }

  init(_ outcome: BatchOutcome, _ type: NSBatchInsertRequestResultType) {
    resultType = type
    result =
      switch type {
      case .statusOnly: NSNumber(value: true)
      case .objectIDs: outcome.inserted.ids + outcome.updated.ids
      case .count: NSNumber(value: outcome.inserted.count + outcome.updated.count)
      }
    super.init()
  }
}
