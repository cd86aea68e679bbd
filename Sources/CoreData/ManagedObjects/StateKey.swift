/// The keys that every managed object has in addition to its entity's properties, for predicates
/// and key paths: `entity.name == "Player"`, `isInserted == YES`.
enum StateKey: String {
  case `self`
  case objectID
  case entity
  case managedObjectContext
  case hasChanges
  case hasPersistentChangedValues
  case isInserted
  case isUpdated
  case isDeleted
  case isFault
  // Key-value coding also finds these properties without the prefix "is".
  case inserted
  case updated
  case deleted
  case fault

  func value(of object: NSManagedObject) -> Any? {
    switch self {
    case .self: object
    case .objectID: object.objectID
    case .entity: object.entity
    case .managedObjectContext: object.managedObjectContext
    case .hasChanges: NSNumber(value: object.hasChanges)
    case .hasPersistentChangedValues: NSNumber(value: object.hasPersistentChangedValues)
    case .isInserted, .inserted: NSNumber(value: object.isInserted)
    case .isUpdated, .updated: NSNumber(value: object.isUpdated)
    case .isDeleted, .deleted: NSNumber(value: object.isDeleted)
    case .isFault, .fault: NSNumber(value: object.isFault)
    }
  }
}
