import CoreData
import StoreInspection

/// Which rows have changes that are not saved: what other requests read need not wait for the context that has them.
struct UnsavedRows: Sendable {
  /// The entities of the rows, with those that they descend from.
  private(set) var entities: Set<String> = []
  /// The keys of the rows that the store has, by their root entities.
  private var keys: [String: Set<Int64>] = [:]

  var isEmpty: Bool { entities.isEmpty }

  init() {}

  /// To be made on the context's queue.
  init(in context: NSManagedObjectContext) {
    for objects in [context.insertedObjects, context.updatedObjects, context.deletedObjects] {
      for object in objects { add(object) }
    }
  }

  private mutating func add(_ object: NSManagedObject) {
    let names = object.entity.lineage.map { $0.name ?? "" }
    entities.formUnion(names)
    let key = object.objectID.primaryKey
    if key > 0 { keys[names[0], default: []].insert(key) }
  }

  /// Whether a row is one of them.
  func contains(_ key: Int64, of entity: NSEntityDescription) -> Bool {
    keys[entity.rootEntity.name ?? ""]?.contains(key) == true
  }

  func contains(_ id: NSManagedObjectID) -> Bool {
    id.isTemporaryID || contains(id.primaryKey, of: id.entity)
  }
}
