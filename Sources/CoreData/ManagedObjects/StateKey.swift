/// What every managed object has besides its entity's properties, and predicates and key paths ask for:
/// `entity.name == "Player"`, `isInserted == YES`.
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
  // Key-value coding finds the same without the "is".
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
    case .hasChanges: object.hasChanges
    case .hasPersistentChangedValues: object.hasPersistentChangedValues
    case .isInserted, .inserted: object.isInserted
    case .isUpdated, .updated: object.isUpdated
    case .isDeleted, .deleted: object.isDeleted
    case .isFault, .fault: object.isFault
    }
  }
}
