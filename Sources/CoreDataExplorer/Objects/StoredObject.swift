import CoreData
import StoreInspection

extension NSManagedObjectContext {
  /// The object of a name in an address; nil where there is none, or it is of another entity.
  ///
  /// To be called on the context's queue.
  func object(named name: String, of entity: NSEntityDescription) throws -> NSManagedObject? {
    guard let key = ObjectReference.key(name) else { return nil }
    guard key > 0 else {
      // Only what was inserted here has no row yet.
      if let known = newObjects.object(named: name), known.managedObjectContext === self,
        known.entity.isKindOf(entity: entity)
      {
        return known
      }
      return insertedObjects.first {
        $0.objectID.primaryKey == key && $0.entity.isKindOf(entity: entity)
      }
    }
    guard let id = objectID(key, of: entity) else { return nil }
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
    request.predicate = try NSPredicate(validating: "SELF == %@", arguments: [id])
    return try fetch(request).first
  }

  /// The ID of a row.
  func objectID(_ key: Int64, of entity: NSEntityDescription) -> NSManagedObjectID? {
    guard let coordinator = persistentStoreCoordinator,
      let identifier = coordinator.persistentStores.first?.identifier
    else { return nil }
    // The name may have letters that an address escapes.
    var url = URL(string: "x-coredata://\(identifier)")
    url?.appendPathComponent(entity.name ?? "")
    url?.appendPathComponent("p\(key)")
    return url.flatMap { coordinator.managedObjectID(forURIRepresentation: $0) }
  }

  /// The object of a name in an address.
  ///
  /// - Throws: ``WebFailure`` where there is none.
  func existingObject(
    named name: String, of entity: NSEntityDescription
  ) throws -> NSManagedObject {
    guard let object = try object(named: name, of: entity) else {
      throw WebFailure.notFound("\(entity.name ?? "") \(name) is gone")
    }
    return object
  }

  /// The objects of some names, each once.
  ///
  /// - Throws: ``WebFailure`` where there is one of them not.
  func existingObjects(
    named names: [String], of entity: NSEntityDescription
  ) throws -> [NSManagedObject] {
    var known: Set<String> = []
    return try names.filter { known.insert($0).inserted }
      .map { try existingObject(named: $0, of: entity) }
  }
}
