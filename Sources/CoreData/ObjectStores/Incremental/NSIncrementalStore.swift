/// A base for stores of a program's own that answer each request as it comes: a web service, a
/// database of another make.
///
/// A subclass is registered with `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`
/// and overrides `loadMetadata()`, `execute(_:with:)`, `newValuesForObject(with:with:)`,
/// `newValue(forRelationship:forObjectWith:with:)` and `obtainPermanentIDs(for:)`. Its objects are
/// named by reference objects: anything with a value, such as a number, a text or a UUID.
///
/// Called on the queue of the context that asks, so by several threads when contexts of several
/// queues use it.
///
/// Compared to Apple's Core Data: `newValuesForObject` and `newValue(forRelationship:…)` are asked
/// for to-one relationships that the node does not have when the object's values are read, not when
/// the relationship is.
open class NSIncrementalStore: NSPersistentStore, @unchecked Sendable {
  /// Runs a fetch or a save.
  ///
  /// - Parameters:
  ///   - request: an `NSFetchRequest<any NSFetchRequestResult>` with its entity, or an
  ///     `NSSaveChangesRequest` with the objects to write, whose IDs are permanent. A save without
  ///     changes is told too, with empty sets.
  ///   - context: the context that asks; its `object(with:)` makes the objects of a result.
  /// - Returns: for a fetch an array of managed objects or IDs, of dictionaries, or with the count,
  ///   as the request's result type says; for a save an empty array.
  open func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
  ) throws -> Any {
    throw CoreDataError.make(
      NSPersistentStoreUnsupportedRequestTypeError,
      "\(Swift.type(of: self)) does not override execute(_:with:)")
  }

  /// The values of an object: attributes and, if they are known, to-one relationships as IDs.
  ///
  /// - Throws: `NSManagedObjectReferentialIntegrityError`, for one, when there is no such object.
  open func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "\(Swift.type(of: self)) does not override newValuesForObject(with:with:)")
  }

  /// The destination of a relationship: an ID, or `NSNull`, of a to-one relationship; an array of
  /// IDs of a to-many one, in order.
  open func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
  ) throws -> Any {
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "\(Swift.type(of: self)) does not override newValue(forRelationship:forObjectWith:with:)")
  }

  /// A UUID for a store that is made at a place.
  open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

  /// The IDs that new objects get for good, in the objects' order; made with
  /// `newObjectID(for:referenceObject:)`.
  open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "\(Swift.type(of: self)) does not override obtainPermanentIDs(for:)")
  }

  /// Called when a context takes objects of the store in.
  open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// Called when a context lets go of objects of the store.
  open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// The ID of an object of this store; equal reference objects of one hierarchy of entities give
  /// equal IDs.
  open func newObjectID(
    for entity: NSEntityDescription, referenceObject data: Any
  ) -> NSManagedObjectID {
    objectID(for: entity, reference: data)
  }

  /// The reference object of an ID of this store.
  open func referenceObject(for objectID: NSManagedObjectID) -> Any {
    reference(of: objectID)
  }

  override func makeEngine(model: ModelLayout) throws -> any StoreEngine {
    IncrementalStoreEngine(store: self, origin: engine.origin, metadata: metadata ?? [:])
  }
}

extension NSPersistentStore {
  /// The ID of an object that the store names by itself.
  func objectID(for entity: NSEntityDescription, reference: Any) -> NSManagedObjectID {
    let found =
      persistentStoreCoordinator.map { $0.layouts.layout(of: entity) } ?? EntityLayout.of(entity)
    guard let layout = found, let references = engine.origin.references else {
      stopProgram("the entity '\(entity.name ?? "")' is not one of the store's model")
    }
    return NSManagedObjectID(
      layout: layout, key: references.key(of: reference, in: layout), origin: engine.origin)
  }

  /// What the store calls an object by itself.
  func reference(of id: NSManagedObjectID) -> Any {
    guard id.origin === engine.origin, let found = id.origin.references?.reference(of: id.key)
    else { stopProgram("the ID is not of this store: \(id)") }
    return found
  }
}
