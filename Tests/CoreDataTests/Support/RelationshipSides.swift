import CoreData

extension NSManagedObjectContext {
  /// Returns a description of an invalid link between registered objects, or nil if there is none. A link is invalid if
  /// the inverse relationship disagrees, or if the destination is deleted or belongs to another context.
  func findDisagreement() -> String? {
    for object in registeredObjects where !object.isFault && !object.isDeleted {
      for (name, relationship) in object.entity.relationshipsByName {
        guard let inverse = relationship.inverseRelationship else { continue }
        for other in object.destinations(relationship) {
          let link = "\(object.objectID) \(name) \(other.objectID)"
          if other.isDeleted || other.managedObjectContext !== self {
            return "\(link): the object is deleted or belongs to another context"
          }
          if !other.destinations(inverse).contains(object) {
            return "\(link): the inverse disagrees"
          }
        }
      }
    }
    return nil
  }
}

extension NSManagedObject {
  fileprivate func destinations(
    _ relationship: NSRelationshipDescription
  ) -> [NSManagedObject] {
    switch value(forKey: relationship.name) {
    case let object as NSManagedObject: [object]
    case let objects as Set<NSManagedObject>: Array(objects)
    case let objects as NSOrderedSet: objects.compactMap { $0 as? NSManagedObject }
    default: []
    }
  }
}
