import CoreData

/// Finds rows of a store by the references that people type.
struct ReferenceResolver {
  let coordinator: NSPersistentStoreCoordinator

  /// Returns the ID that a reference means as a row of an entity or its subentities; whether the store has
  /// the row is not checked.
  ///
  /// - Returns: nil where the reference names another store, or an entity of another kind.
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

  /// Returns the object of a reference.
  ///
  /// - Returns: nil where the entity has no such row.
  /// - Throws: what a fetch throws.
  func object(
    _ reference: ObjectReference, of entity: NSEntityDescription,
    in context: NSManagedObjectContext
  ) throws -> NSManagedObject? {
    guard let id = objectID(reference, of: entity) else { return nil }
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
    request.predicate = try NSPredicate(validating: "SELF == %@", arguments: [id])
    guard let object = try context.fetch(request).first else { return nil }
    guard let wanted = reference.entity else { return object }
    return object.entity.lineage.contains { $0.name == wanted } ? object : nil
  }

  /// Returns a condition that the rows of some references meet, and no others.
  ///
  /// - Throws: ``Diagnostic`` where the entity lacks one of the rows.
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

  /// Returns the ID of the row that a reference names. May be called on any queue.
  ///
  /// - Throws: ``Diagnostic`` where the store has no such row of the entity; what a fetch throws.
  func existingID(
    _ reference: ObjectReference, of entity: NSEntityDescription
  ) throws -> NSManagedObjectID {
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

  /// Whether a name is that of an entity, of one that it descends from, or of a descendant: only their rows can have its
  /// keys.
  private static func isNamed(_ name: String, near entity: NSEntityDescription) -> Bool {
    entity.lineage.contains { $0.name == name }
      || entity.managedObjectModel.entitiesByName[name]?.isKindOf(entity: entity) == true
  }
}
