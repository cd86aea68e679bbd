import CoreData

extension NSManagedObject {
  /// Undoes the object's pending deletion, and those of the objects that go along with it. Its values are the store's, and
  /// it is again a member of the objects that lost it, except those that have another in its place now.
  func undelete() throws {
    guard isDeleted, let context = managedObjectContext else { return }
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

  /// Puts an object at the other end of a relationship, or takes it away from there.
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

  /// Whether the other end of a relationship has room for an object.
  private func isFree(
    for object: NSManagedObject, by relationship: NSRelationshipDescription
  ) -> Bool {
    guard let inverse = relationship.inverseRelationship, !inverse.isToMany else { return true }
    let present = value(forKey: inverse.name) as? NSManagedObject
    return present == nil || present === object
  }

  /// What the store has at the other end of a relationship.
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
