import CoreData

/// Finds rows of a store by references that a user typed.
struct ReferenceResolver {
  let coordinator: NSPersistentStoreCoordinator

  /// Converts a reference to the ID of a row of an entity or its subentities. Does not check whether the store has the
  /// row.
  ///
  /// - Returns: Nil if the reference specifies another store, or an unrelated entity.
  func objectID(
    _ reference: ObjectReference, of entity: NSEntityDescription
  ) -> NSManagedObjectID? {
    guard let name = entity.name, let identifier = coordinator.persistentStores.first?.identifier,
      reference.store.map({ $0 == identifier }) ?? true,
      reference.entity.map({ Self.isNamed($0, near: entity) }) ?? true,
      let url = URL(string: "x-coredata://\(identifier)/\(name)/p\(reference.key)")
    else { return nil }
    return coordinator.managedObjectID(forURIRepresentation: url)
  }

  /// Returns the object that a reference denotes.
  ///
  /// - Returns: Nil if the reference specifies another store, or the entity has no such row.
  /// - Throws: Errors of the fetch.
  func object(
    _ reference: ObjectReference, of entity: NSEntityDescription,
    in context: NSManagedObjectContext
  ) throws -> NSManagedObject? {
    guard let id = objectID(reference, of: entity) else { return nil }
    // Use a fetch, because `object(with:)` returns an object even if the store has no such row.
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
    request.predicate = try NSPredicate(validating: "SELF == %@", arguments: [id])
    guard let object = try context.fetch(request).first else { return nil }
    guard let wanted = reference.entity else { return object }
    // The row's entity may differ from the one in the reference.
    return object.entity.lineage.contains { $0.name == wanted } ? object : nil
  }

  /// Returns a condition that is met by the rows of some references and no others.
  ///
  /// - Throws: ``Diagnostic`` if the entity lacks one of the rows; errors of the fetch.
  func condition(
    _ references: [ObjectReference], of entity: NSEntityDescription,
    in context: NSManagedObjectContext
  ) throws -> NSPredicate {
    let ids = try references.map { reference in
      guard let object = try object(reference, of: entity, in: context) else {
        throw Self.missing(reference, of: entity, for: "--id: ")
      }
      return object.objectID
    }
    return try NSPredicate(validating: "SELF IN %@", arguments: [ids])
  }

  /// Returns the ID of the row that a reference denotes. May be called on any queue.
  ///
  /// - Throws: ``Diagnostic`` if the store has no such row of the entity; errors of the fetch.
  func existingID(
    _ reference: ObjectReference, of entity: NSEntityDescription
  ) throws -> NSManagedObjectID {
    // Use a separate context, because the caller may be on any queue.
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return try context.performAndWait {
      guard let object = try object(reference, of: entity, in: context) else {
        throw Self.missing(reference, of: entity)
      }
      return object.objectID
    }
  }

  private static func missing(
    _ reference: ObjectReference, of entity: NSEntityDescription, for place: String = ""
  ) -> Diagnostic {
    let name = reference.entity ?? entity.name ?? ""
    let store = reference.store.map { " of the store \($0)" } ?? ""
    return Diagnostic(
      .usage,
      "\(place)there is no row \(name)/p\(reference.key)\(store)"
        + (name == entity.name ? "" : " of \(entity.name ?? "")"))
  }

  /// Returns whether a name is that of the entity, of one of its superentities, or of a descendant. A reference with
  /// another name cannot denote a row of the entity.
  private static func isNamed(_ name: String, near entity: NSEntityDescription) -> Bool {
    entity.lineage.contains { $0.name == name }
      || entity.managedObjectModel.entitiesByName[name]?.isKindOf(entity: entity) == true
  }
}
