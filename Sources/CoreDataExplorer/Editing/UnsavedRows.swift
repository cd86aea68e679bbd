import CoreData
import StoreInspection

/// The rows with unsaved changes. Requests that read other rows need not use the context with the changes.
struct UnsavedRows: Sendable {
  /// The entities of the rows, including their superentities.
  private(set) var entities: Set<String> = []
  /// The keys of stored rows, by their root entities.
  private var keys: [String: Set<Int64>] = [:]

  var isEmpty: Bool { entities.isEmpty }

  init() {}

  /// Call it on the context's queue.
  init(in context: NSManagedObjectContext) {
    for objects in [context.insertedObjects, context.updatedObjects, context.deletedObjects] {
      for object in objects { add(object) }
    }
  }

  private mutating func add(_ object: NSManagedObject) {
    let names = object.entity.lineage.map { $0.name ?? "" }
    entities.formUnion(names)
    let key = object.objectID.primaryKey
    // The keys of unsaved objects are not positive.
    if key > 0 { keys[names[0], default: []].insert(key) }
  }

  /// Returns whether a row has unsaved changes.
  func contains(_ key: Int64, of entity: NSEntityDescription) -> Bool {
    keys[entity.rootEntity.name ?? ""]?.contains(key) == true
  }

  func contains(_ id: NSManagedObjectID) -> Bool {
    id.isTemporaryID || contains(id.primaryKey, of: id.entity)
  }
}
