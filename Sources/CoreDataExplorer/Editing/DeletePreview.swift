import CoreData
import StoreInspection

/// The effect of deleting objects, determined by deleting them in a temporary context.
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
    /// As in model files: `Cascade`, `Nullify`, `Deny`, `No Action`.
    let rule: String
    let entity: String
    let count: Int
  }

  /// The delete rules of the objects' relationships that are not empty.
  let rules: [Rule]
  /// Why a delete rule forbids the deletion; nil if none does.
  let denied: String?
  /// The number of objects that will be deleted altogether.
  let total: Int

  /// - Parameter parent: The context of the objects. The preview includes its unsaved changes.
  static func make(
    _ request: Request.Objects, of entity: NSEntityDescription, above parent: NSManagedObjectContext
  ) async throws -> DeletePreview {
    // Objects without a row are identified by their temporary IDs.
    let ids = try await parent.perform {
      try parent.existingObjects(named: request.ids, of: entity).map(\.objectID)
    }
    let context = NSManagedObjectContext(.privateQueue)
    // A child sees the unsaved changes of its parent, and its deletions reach the parent only with
    // a save.
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

  /// Collects the delete rules of the objects, whose entities may be different subentities of one entity. A
  /// relationship that several of these entities inherit is listed once.
  private static func rules(of objects: [NSManagedObject]) -> [Rule] {
    struct Kind: Hashable {
      let relationship, rule, entity: String
    }
    var ends: [Kind: Set<NSManagedObjectID>] = [:]
    for (entity, objects) in Dictionary(grouping: objects, by: \.entity) {
      for relationship in entity.relationshipsByName.values {
        let kind = Kind(
          relationship: relationship.name, rule: relationship.deleteRule.modelFileName,
          entity: relationship.destinationEntity?.name ?? "")
        for object in objects {
          let ids = object.objectIDs(forRelationshipNamed: relationship.name)
          if !ids.isEmpty { ends[kind, default: []].formUnion(ids) }
        }
      }
    }
    return ends.map { kind, ends in
      Rule(
        relationship: kind.relationship, rule: kind.rule, entity: kind.entity, count: ends.count)
    }.sorted { ($0.relationship, $0.entity, $0.rule) < ($1.relationship, $1.entity, $1.rule) }
  }
}
