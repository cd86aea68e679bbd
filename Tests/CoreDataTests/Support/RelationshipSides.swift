import CoreData

extension NSManagedObjectContext {
  /// A relationship of an object in use whose other side does not say the same, or that leads to an object that is
  /// not there; nil where there is none.
  func findDisagreement() -> String? {
    for object in registeredObjects where !object.isFault && !object.isDeleted {
      for (name, relationship) in object.entity.relationshipsByName {
        guard let inverse = relationship.inverseRelationship else { continue }
        for other in object.destinations(relationship) {
          let link = "\(object.objectID) \(name) \(other.objectID)"
          if other.isDeleted || other.managedObjectContext !== self { return "\(link): not there" }
          if !other.destinations(inverse).contains(object) { return "\(link): not back" }
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
