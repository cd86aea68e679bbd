import Foundation
import ObjectModel

extension NSManagedObjectContext {
  // MARK: Inserting and deleting

  /// Inserts an object that stands alone.
  public func insert(_ object: NSManagedObject) {
    precondition(
      object.unsafeContext == nil || object.unsafeContext === self,
      "the object belongs to another context: \(object.objectID)")
    object.unsafeContext = self
    register(object)
    object.flags.formUnion(.inserted)
    object.flags.remove(.deleted)
    inserted.insert(object)
    pending.inserted.insert(object)
    pending.deleted.remove(object)
    quietly { object.awakeFromInsert() }
    scheduleProcessing()
  }

  /// Marks an object for deletion by the next save. Its delete rules are carried out when changes
  /// are processed.
  public func delete(_ object: NSManagedObject) {
    guard object.unsafeContext === self else { return }
    object.prepareForDeletion()
    if object.flags.contains(.deleted) { return }
    object.flags.insert(.deleted)
    object.flags.remove(.propagated)
    deleted.insert(object)
    pending.deleted.insert(object)
    scheduleProcessing()
  }

  // MARK: Finding objects

  /// The object of an ID, as a fault when it is not in use yet. Nothing is read, so there may be
  /// no such row.
  public func object(with objectID: NSManagedObjectID) -> NSManagedObject {
    if let known = registry[objectID.layout.root, objectID.key] { return known }
    return makeObject(objectID.layout, key: objectID.key, origin: objectID.origin, .none)
  }

  /// The object of an ID, if it is in use.
  public func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    registry[objectID.layout.root, objectID.key]
  }

  /// The object of an ID, if it is in use.
  public func object(registeredFor objectID: NSManagedObjectID) -> NSManagedObject? {
    registeredObject(for: objectID)
  }

  /// The object of an ID, its values filled in.
  ///
  /// - Throws: `NSManagedObjectReferentialIntegrityError` when there is no such row.
  public func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    let object = object(with: objectID)
    try object.fire()
    return object
  }

  /// Gives unsaved objects the IDs that they will have when they are saved.
  public func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    guard let coordinator = persistentStoreCoordinator else { throw noCoordinator }
    let temporary = objects.filter { $0.flags.contains(.inserted) && $0.identifiedKey < 0 }
    for (store, group) in try coordinator.storesForInserting(temporary) {
      var demands: [KeyDemand] = []
      var members: [[NSManagedObject]] = []
      for object in group {
        if let index = demands.firstIndex(where: { $0.root === object.layout.root }) {
          demands[index].count += 1
          members[index].append(object)
        } else {
          demands.append(KeyDemand(root: object.layout.root, count: 1))
          members.append([object])
        }
      }
      let keys = try store.engine.allocateKeys(demands)
      var identities: [(object: NSManagedObject, temporary: Int64)] = []
      for (objects, keys) in zip(members, keys) {
        for (object, key) in zip(objects, keys) {
          identities.append((object, object.key))
          identify(object, key: key, origin: store.engine.origin)
        }
      }
      for observer in observers.current { observer.objectsDidGetPermanentIDs(identities) }
    }
  }

  /// Gives an object the ID of a row.
  func identify(_ object: NSManagedObject, key: Int64, origin: StoreOrigin) {
    registry.remove(root: object.layout.root, key: object.key)
    object.key = key
    object.origin = origin
    registry.insert(object)
  }

  // MARK: Registering

  func register(_ object: NSManagedObject) {
    registry.insert(object)
    if retainsRegisteredObjects { retainedObjects.insert(object) }
  }

  /// The one object of a row, made when it is not in use.
  ///
  /// A fault that is in use takes the row; an object whose values are in use keeps them.
  func object(
    _ layout: EntityLayout, key: Int64, origin: StoreOrigin, _ snapshot: RowSnapshot
  ) -> NSManagedObject {
    guard let known = registry[layout.root, key] else {
      return makeObject(layout, key: key, origin: origin, snapshot)
    }
    if known.flags.contains(.fault), snapshot.isPresent || !known.snapshot.isPresent {
      known.snapshot = snapshot
      known.flags.remove(.inaccessible)
    }
    return known
  }

  private func makeObject(
    _ layout: EntityLayout, key: Int64, origin: StoreOrigin, _ snapshot: RowSnapshot
  ) -> NSManagedObject {
    let object = layout.managedObjectClass.init(entity: layout.entity, insertInto: nil)
    object.key = key
    object.origin = origin
    object.unsafeContext = self
    object.snapshot = snapshot
    object.flags = .fault
    register(object)
    return object
  }

  var noCoordinator: NSError {
    CoreDataError.badRequest(
      "This NSManagedObjectContext has no persistent store coordinator, or the coordinator has no"
        + " persistent stores. It cannot perform the operation.")
  }
}
