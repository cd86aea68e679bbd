import CoreData
import StoreInspection

/// What deleting some objects will do, found by doing it in a context that is thrown away.
struct DeletePreview: Encodable {
  struct Request: Decodable {
    struct Objects: Decodable {
      let entity: String
      let ids: [String]
    }

    let delete: Objects
  }

  struct Rule: Encodable, Equatable {
    let relationship: String
    /// As models name it: `Cascade`, `Nullify`, `Deny`, `No Action`.
    let rule: String
    let entity: String
    let count: Int
  }

  /// What the objects' own relationships have at their other ends.
  let rules: [Rule]
  /// Why it is forbidden; nil where it is not.
  let denied: String?
  /// How many objects will be deleted in all.
  let total: Int

  /// - Parameter parent: where the objects are; its changes count, too.
  static func make(
    _ request: Request.Objects, of entity: NSEntityDescription, above parent: NSManagedObjectContext
  ) async throws -> DeletePreview {
    // Objects that have no row yet are named by their temporary IDs.
    let ids = try await parent.perform {
      try parent.existingObjects(named: request.ids, of: entity).map(\.objectID)
    }
    let context = NSManagedObjectContext(.privateQueue)
    context.parent = parent
    return try await context.performInterruptibly {
      let objects = try ids.map { try context.existingObject(with: $0) }
      let rules = self.rules(of: objects)
      for object in objects { context.delete(object) }
      context.processPendingChanges()
      let deleted = context.deletedObjects
      var denied: String?
      do {
        for object in deleted {
          if Task.isCancelled { throw CancellationError() }
          try object.validateForDelete()
        }
      } catch  where !(error is CancellationError) {
        denied = error.localizedDescription
      }
      return DeletePreview(rules: rules, denied: denied, total: deleted.count)
    }
  }

  /// The rules of the objects' own entities, which may be several subentities of one.
  private static func rules(of objects: [NSManagedObject]) -> [Rule] {
    var rules: [Rule] = []
    for (_, objects) in Dictionary(grouping: objects, by: \.entity) {
      for relationship in objects[0].entity.relationshipsByName.values {
        let ends = Set(objects.flatMap { $0.objectIDs(forRelationshipNamed: relationship.name) })
        if ends.isEmpty { continue }
        rules.append(
          Rule(
            relationship: relationship.name, rule: relationship.deleteRule.modelFileName,
            entity: relationship.destinationEntity?.name ?? "", count: ends.count))
      }
    }
    return rules.sorted { ($0.relationship, $0.entity) < ($1.relationship, $1.entity) }
  }
}
