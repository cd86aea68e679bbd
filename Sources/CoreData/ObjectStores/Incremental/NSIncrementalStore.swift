/// The base class of custom stores that execute each request when it is made, for example stores for a web service or
/// another database.
///
/// Register a subclass with `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`. It overrides
/// `loadMetadata()`, `execute(_:with:)`, `newValuesForObject(with:with:)`,
/// `newValue(forRelationship:forObjectWith:with:)` and `obtainPermanentIDs(for:)`. Its objects are identified
/// by reference objects, which can be any values, such as numbers, strings or UUIDs.
///
/// Methods are called on the queue of the requesting context. If contexts with different queues use the store, several
/// threads call them.
///
/// Compared to Apple's Core Data: for to-one relationships that the node does not contain,
/// `newValue(forRelationship:…)` is called when the object's values are read, not when the relationship is read.
open class NSIncrementalStore: NSPersistentStore, @unchecked Sendable {
  /// Executes a fetch or save request. The default implementation throws
  /// `NSPersistentStoreUnsupportedRequestTypeError`.
  ///
  /// - Parameters:
  ///   - request: An `NSFetchRequest<any NSFetchRequestResult>` with its entity, or an `NSSaveChangesRequest` with
  ///     the objects to write, which have permanent IDs. A save without changes sends a request with empty sets.
  ///   - context: The requesting context. Its `object(with:)` returns the objects of a result.
  /// - Returns: For a fetch request, an array that contains managed objects, IDs, dictionaries or the count, depending
  ///   on the result type of the request. For a save request, an empty array.
  ///
  /// ```swift
  /// final class CurrencyStore: NSIncrementalStore, @unchecked Sendable {
  ///   override func execute(
  ///     _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
  ///   ) throws -> Any {
  ///     guard let fetch = request as? NSFetchRequest<any NSFetchRequestResult>,
  ///       let currency = fetch.entity
  ///     else { throw CocoaError(.featureUnsupported) }
  ///     let ids = ["EUR", "USD"].map { newObjectID(for: currency, referenceObject: $0) }
  ///     return ids.compactMap { context?.object(with: $0) }
  ///   }
  /// }
  /// ```
  open func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
  ) throws -> Any {
    throw CoreDataError.make(
      NSPersistentStoreUnsupportedRequestTypeError,
      "\(Swift.type(of: self)) does not override execute(_:with:)")
  }

  /// Returns the values of an object: attributes and, if they are known, to-one relationships as IDs.
  ///
  /// - Throws: `NSManagedObjectReferentialIntegrityError` if there is no such object; any other error if it cannot be
  ///   read. The default implementation throws `NSPersistentStoreOperationError`.
  ///
  /// ```swift
  /// final class CurrencyStore: NSIncrementalStore, @unchecked Sendable {
  ///   override func newValuesForObject(
  ///     with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ///   ) throws -> NSIncrementalStoreNode {
  ///     let code = referenceObject(for: objectID) as? String ?? ""
  ///     return NSIncrementalStoreNode(objectID: objectID, withValues: ["code": code], version: 1)
  ///   }
  /// }
  /// ```
  open func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "\(Swift.type(of: self)) does not override newValuesForObject(with:with:)")
  }

  /// Returns the destination of a relationship: an ID or `NSNull` for a to-one relationship, an array of IDs, in
  /// order, for a to-many relationship. The default implementation throws `NSPersistentStoreOperationError`.
  ///
  /// ```swift
  /// final class CurrencyStore: NSIncrementalStore, @unchecked Sendable {
  ///   override func newValue(
  ///     forRelationship relationship: NSRelationshipDescription,
  ///     forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
  ///   ) throws -> Any {
  ///     guard relationship.isToMany, let other = relationship.destinationEntity else { return NSNull() }
  ///     return [newObjectID(for: other, referenceObject: "EUR")]
  ///   }
  /// }
  /// ```
  open func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
  ) throws -> Any {
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "\(Swift.type(of: self)) does not override newValue(forRelationship:forObjectWith:with:)")
  }

  /// Returns a UUID for a new store at a location. Call it in `loadMetadata()` for a store that does not exist yet; the
  /// library does not call it.
  ///
  /// ```swift
  /// final class ServiceStore: NSIncrementalStore, @unchecked Sendable {
  ///   override class func identifierForNewStore(at storeURL: URL) -> Any {
  ///     storeURL.lastPathComponent
  ///   }
  /// }
  /// ```
  open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

  /// Returns the permanent IDs of new objects, in the order of the objects. Create them with
  /// `newObjectID(for:referenceObject:)`. The default implementation throws `NSPersistentStoreOperationError`.
  ///
  /// ```swift
  /// final class ServiceStore: NSIncrementalStore, @unchecked Sendable {
  ///   override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
  ///     array.map { newObjectID(for: $0.entity, referenceObject: UUID().uuidString) }
  ///   }
  /// }
  /// ```
  open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "\(Swift.type(of: self)) does not override obtainPermanentIDs(for:)")
  }

  /// Called after a context has registered objects of the store.
  ///
  /// ```swift
  /// final class ServiceStore: NSIncrementalStore, @unchecked Sendable {
  ///   override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
  ///     for id in objectIDs { print("subscribes to", referenceObject(for: id)) }
  ///   }
  ///   override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
  ///     for id in objectIDs { print("unsubscribes from", referenceObject(for: id)) }
  ///   }
  /// }
  /// ```
  open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// Called after a context has released objects of the store.
  open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// Returns the ID of an object of this store. Equal reference objects in one entity hierarchy have equal IDs.
  ///
  /// Stops the program if the entity does not belong to the store's model.
  open func newObjectID(
    for entity: NSEntityDescription, referenceObject data: Any
  ) -> NSManagedObjectID {
    objectID(for: entity, reference: data)
  }

  /// Returns the reference object of an ID of this store. Stops the program if the ID belongs to another store.
  open func referenceObject(for objectID: NSManagedObjectID) -> Any {
    reference(of: objectID)
  }

  override func makeEngine(model: ModelLayout) throws -> any StoreEngine {
    IncrementalStoreEngine(store: self, origin: engine.origin, metadata: metadata ?? [:])
  }
}

extension NSPersistentStore {
  /// Returns the ID of an object that the store identifies by a reference object.
  func objectID(for entity: NSEntityDescription, reference: Any) -> NSManagedObjectID {
    let found =
      persistentStoreCoordinator.map { $0.layouts.layout(of: entity) } ?? EntityLayout.of(entity)
    guard let layout = found, let references = engine.origin.references else {
      stopProgram("the entity '\(entity.name ?? "")' does not belong to the store's model")
    }
    return NSManagedObjectID(
      layout: layout, key: references.key(of: reference, in: layout), origin: engine.origin)
  }

  /// Returns the reference object of an ID.
  func reference(of id: NSManagedObjectID) -> Any {
    guard id.origin === engine.origin, let found = id.origin.references?.reference(of: id.key)
    else { stopProgram("the ID does not belong to this store: \(id)") }
    return found
  }
}
