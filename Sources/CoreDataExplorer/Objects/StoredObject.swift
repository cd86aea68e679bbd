import CoreData
import StoreInspection

extension NSManagedObjectContext {
  /// Returns the object with a name, such as `p12` in the address of a page; nil if there is no such object, or if it
  /// has another entity.
  ///
  /// Call it on the context's queue.
  func object(named name: String, of entity: NSEntityDescription) throws -> NSManagedObject? {
    guard let key = ObjectReference.key(name) else { return nil }
    guard key > 0 else {
      // A negative key belongs to an object that was inserted in this context and has no row yet.
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
    // A fetch finds only an existing row of the entity; `object(with:)` would return an object in
    // any case.
    request.predicate = try NSPredicate(validating: "SELF == %@", arguments: [id])
    return try fetch(request).first
  }

  /// Returns those names whose objects exist and meet the condition of a query, in the same order.
  ///
  /// Call it on the context's queue.
  func existing(
    _ names: [String], of entity: NSEntityDescription, _ query: TableQuery
  ) throws -> [String] {
    let ids = try names.map { name -> NSManagedObjectID? in
      guard let key = ObjectReference.key(name) else { return nil }
      return try key > 0 ? objectID(key, of: entity) : object(named: name, of: entity)?.objectID
    }
    let request = try query.request(of: entity, in: persistentStoreCoordinator)
    let named = NSPredicate(format: "SELF IN %@", ids.compactMap { $0 } as NSArray)
    request.predicate =
      request.predicate.map { NSCompoundPredicate(andPredicateWithSubpredicates: [named, $0]) }
      ?? named
    let found = Set(try query.reporting { try fetch(request) }.map(\.objectID))
    return zip(names, ids).compactMap { name, id in
      id.map { found.contains($0) } == true ? name : nil
    }
  }

  /// Returns the ID of a row.
  func objectID(_ key: Int64, of entity: NSEntityDescription) -> NSManagedObjectID? {
    guard let coordinator = persistentStoreCoordinator,
      let identifier = coordinator.persistentStores.first?.identifier
    else { return nil }
    // The store's identifier may contain characters that a URL has to escape.
    var url = URL(string: "x-coredata://\(identifier)")
    url?.appendPathComponent(entity.name ?? "")
    url?.appendPathComponent("p\(key)")
    return url.flatMap { coordinator.managedObjectID(forURIRepresentation: $0) }
  }

  /// Returns the object with a name.
  ///
  /// - Throws: ``WebFailure`` if there is none.
  func existingObject(
    named name: String, of entity: NSEntityDescription
  ) throws -> NSManagedObject {
    guard let object = try object(named: name, of: entity) else {
      throw WebFailure.notFound("\(entity.name ?? "") \(name) does not exist")
    }
    return object
  }

  /// Returns the objects with some names, without duplicates.
  ///
  /// - Throws: ``WebFailure`` if one of them does not exist.
  func existingObjects(
    named names: [String], of entity: NSEntityDescription
  ) throws -> [NSManagedObject] {
    var known: Set<String> = []
    return try names.filter { known.insert($0).inserted }
      .map { try existingObject(named: $0, of: entity) }
  }
}
