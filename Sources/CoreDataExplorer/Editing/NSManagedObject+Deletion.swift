import CoreData

extension NSManagedObject {
  /// Reverts the deletion of the object, and of all objects from which or to which this deletion cascaded. The object
  /// gets the stored values. Relationships that lost the object contain it again, unless another object has replaced
  /// it.
  func undelete() throws {
    // This also ends the recursion if objects cascade to each other.
    guard isDeleted, let context = managedObjectContext else { return }
    // Inserting a deleted object reverts its deletion, but not the loss of its values and
    // relationships.
    context.insert(self)
    for key in changedValues().keys where entity.attributesByName[key] != nil {
      try setValidatedValue(committed(key), forKey: key)
    }
    for (name, relationship) in entity.relationshipsByName {
      let goesAlong =
        relationship.deleteRule == .cascadeDeleteRule
        || relationship.inverseRelationship?.deleteRule == .cascadeDeleteRule
      if goesAlong { for other in members(name) { try other.undelete() } }
      for other in members(name) where !other.isDeleted && other.isFree(for: self, by: relationship)
      {
        try connect(other, by: relationship, isLink: true)
      }
    }
  }

  /// Adds an object to a relationship, or removes it.
  func connect(
    _ other: NSManagedObject, by relationship: NSRelationshipDescription, isLink: Bool
  ) throws {
    switch (relationship.isToMany, relationship.isOrdered) {
    case (false, _): try setValidatedValue(isLink ? other : nil, forKey: relationship.name)
    case (true, true):
      let members = mutableOrderedSetValue(forKey: relationship.name)
      isLink ? members.add(other) : members.remove(other)
    case (true, false):
      let members = mutableSetValue(forKey: relationship.name)
      isLink ? members.add(other) : members.remove(other)
    }
  }

  /// Returns whether the inverse of a relationship can hold an object.
  private func isFree(
    for object: NSManagedObject, by relationship: NSRelationshipDescription
  ) -> Bool {
    guard let inverse = relationship.inverseRelationship, !inverse.isToMany else { return true }
    let present = value(forKey: inverse.name) as? NSManagedObject
    return present == nil || present === object
  }

  /// Returns the stored members of a relationship.
  private func members(_ name: String) -> [NSManagedObject] {
    switch committed(name) {
    case let object as NSManagedObject: [object]
    case let members as NSOrderedSet: members.array.compactMap { $0 as? NSManagedObject }
    case let members as NSSet: members.allObjects.compactMap { $0 as? NSManagedObject }
    default: []
    }
  }

  private func committed(_ key: String) -> Any? {
    let value = committedValues(forKeys: [key])[key]
    return value is NSNull ? nil : value
  }
}
