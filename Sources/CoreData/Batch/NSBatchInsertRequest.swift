/// The kind of result of a batch insertion.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
  /// The number `true`. A failure throws an error.
  case statusOnly = 0
  /// The IDs of the inserted rows, and of existing rows that were updated instead.
  case objectIDs = 1
  /// The number of inserted rows, and of existing rows that were updated instead.
  case count = 2
}

/// A request that inserts many rows into a SQLite store without creating objects.
///
/// ```swift
/// let request = NSBatchInsertRequest(
///   entityName: "Person", objects: [["lastName": "Lovelace"], ["lastName": "Hopper"]])
/// request.resultType = .count
/// let result = try context.execute(request) as? NSBatchInsertResult
/// ```
///
/// Nothing is validated except that required attributes have values, and no methods of objects are called. Missing
/// attributes get the default values of the model. Keys of dictionaries that are not properties of the entity are
/// ignored, as are values of transient and derived attributes. Relationships cannot be set. The rows are inserted in
/// one transaction: if one of them fails, none is inserted.
///
/// If a row violates a uniqueness constraint, the merge policy of the context decides: the error policy fails with
/// `NSManagedObjectConstraintMergeError`; policies by which the store wins skip the new row; policies by which the
/// object wins write the specified attributes into the existing row and leave its other attributes unchanged. They fail
/// with the same error if the existing row is of another entity, with which this one shares an inherited constraint.
///
/// A handler is called on the thread that executes the request, inside the store's transaction: other saves wait in
/// the meantime. The handler may fetch from the store, but must not save to it.
///
/// The rows are inserted into the first writable store that contains the entity, among `affectedStores` or the stores
/// of the coordinator. A store that is not a SQLite store throws `NSPersistentStoreUnsupportedRequestTypeError`.
///
/// Compared to Apple's Core Data: contexts with `automaticallyMergesChangesFromParent` merge the rows automatically;
/// a relationship with a value is an error; the dictionary that is passed to a handler must be read and written by
/// key, because casting it to a Swift `Dictionary` results in an empty one.
nonisolated open class NSBatchInsertRequest: NSPersistentStoreRequest {
  private let batchEntity: BatchEntity

  /// The rows as dictionaries of attribute values by name; nil if a handler provides them.
  open var objectsToInsert: [[String: Any]]?
  /// Sets the values of one row at each call, and returns true if there are no more rows.
  open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
  /// Sets the values of one object at each call, and returns true if there are no more objects.
  open var managedObjectHandler: ((NSManagedObject) -> Bool)?
  /// The kind of result.
  ///
  /// ```swift
  /// let request = NSBatchInsertRequest(entityName: "Person", objects: [["lastName": "Babbage"]])
  /// request.resultType = .objectIDs
  /// let result = try context.execute(request) as? NSBatchInsertResult
  /// let ids = result?.result as? [NSManagedObjectID] ?? []
  /// ```
  open var resultType: NSBatchInsertRequestResultType = .statusOnly

  /// The attributes that `rowHandler` sets, in the order of their indexes.
  let rowProperties: [String]
  let rowHandler: ((inout BatchRow) -> Bool)?

  /// Creates a request that inserts rows of an entity, which is looked up by name when the request is executed.
  ///
  /// ```swift
  /// let rows: [[String: Any]] = [["lastName": "Babbage", "age": 79], ["lastName": "Boole"]]
  /// try context.execute(NSBatchInsertRequest(entityName: "Person", objects: rows))
  /// ```
  public init(entityName: String, objects dictionaries: [[String: Any]]) {
    batchEntity = BatchEntity(name: entityName)
    objectsToInsert = dictionaries
    (rowProperties, rowHandler) = ([], nil)
    super.init()
  }

  /// Creates a request that inserts rows of an entity.
  ///
  /// ```swift
  /// let request = NSBatchInsertRequest(
  ///   entity: Person.entity(), objects: [["firstName": "Charles", "lastName": "Babbage"]])
  /// try context.execute(request)
  /// ```
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

  /// Creates a request without an entity. It cannot be executed.
  public override convenience init() { self.init(BatchEntity(name: "")) }

  /// Creates a request that calls a handler for each row to insert. The handler sets the row's values in an empty
  /// dictionary. The call that returns true ends the request and inserts nothing.
  ///
  /// ```swift
  /// var names = ["Babbage", "Boole"].makeIterator()
  /// let request = NSBatchInsertRequest(entityName: "Person", dictionaryHandler: { row in
  ///   guard let name = names.next() else { return true }
  ///   row["lastName"] = name
  ///   return false
  /// })
  /// try context.execute(request)
  /// ```
  public convenience init(
    entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(BatchEntity(name: entityName))
    dictionaryHandler = handler
  }

  /// Creates a request that calls a handler for each row to insert. The handler sets the row's values in an empty
  /// dictionary. The call that returns true ends the request and inserts nothing.
  public convenience init(
    entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(BatchEntity(entity))
    dictionaryHandler = handler
  }

  /// Creates a request that calls a handler for each row to insert. The handler sets the row's values in an object
  /// that has default values and no context. The call that returns true ends the request and inserts nothing.
  ///
  /// If an existing row is updated, all attributes that the handler set are written, including those that it set to
  /// nil or to their default values.
  ///
  /// ```swift
  /// var names = ["Babbage", "Boole"].makeIterator()
  /// let request = NSBatchInsertRequest(entityName: "Person", managedObjectHandler: { object in
  ///   guard let name = names.next(), let person = object as? Person else { return true }
  ///   person.lastName = name
  ///   return false
  /// })
  /// try context.execute(request)
  /// ```
  public convenience init(
    entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(BatchEntity(name: entityName))
    managedObjectHandler = handler
  }

  /// Creates a request that calls a handler for each row to insert. The handler sets the row's values in an object
  /// that has default values and no context. The call that returns true ends the request and inserts nothing.
  ///
  /// If an existing row is updated, all attributes that the handler set are written, including those that it set to
  /// nil or to their default values.
  public convenience init(
    entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(BatchEntity(entity))
    managedObjectHandler = handler
  }

  /// Creates a request that calls a handler for each row to insert. The handler sets values by the indexes of their
  /// attributes in a list. This is the fastest form.
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
  /// Listed attributes that a call does not set are nil in new rows and unchanged in existing rows. Attributes that are
  /// not listed get their default values in new rows. The call that returns true inserts nothing. The execution throws
  /// `NSCoreDataError` if the list contains anything but names of attributes that are neither transient nor derived.
  ///
  /// Compared to Apple's Core Data: new.
  public convenience init(
    entityName: String, properties: [String], rowHandler: @escaping (inout BatchRow) -> Bool
  ) {
    self.init(BatchEntity(name: entityName), properties, rowHandler)
  }

  /// The name of the entity.
  open var entityName: String { batchEntity.name }
  /// The entity; nil if the request was created with an entity name and has not been executed yet.
  open var entity: NSEntityDescription? { batchEntity.entity }

  open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

  func layout(in model: ModelLayout) throws -> EntityLayout { try batchEntity.layout(in: model) }
}

/// The result of a batch insertion.
nonisolated open class NSBatchInsertResult: NSPersistentStoreResult, @unchecked Sendable {
  /// The number `true`, an `[NSManagedObjectID]` or a number, depending on `resultType`. Numbers are `NSNumber`s,
  /// which cast to `Int` and `Bool`.
  ///
  /// ```swift
  /// let request = NSBatchInsertRequest(entityName: "Person", objects: [["lastName": "Babbage"]])
  /// request.resultType = .objectIDs
  /// let result = try context.execute(request) as? NSBatchInsertResult
  /// for id in result?.result as? [NSManagedObjectID] ?? [] {
  ///   print(context.object(with: id))
  /// }
  /// ```
  public let result: Any?
  /// The requested kind of result.
  public let resultType: NSBatchInsertRequestResultType

  /// Creates an empty result, for use in tests.
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
