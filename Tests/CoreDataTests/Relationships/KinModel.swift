import CoreData

/// A model with every shape of relationship: a to-one and a to-many relationship that are their own
/// inverse, a pair within one entity, two pairs between the same entities, a pair that is ordered
/// on both sides, and a relationship without an inverse.
enum KinModel {
  static func make() -> NSManagedObjectModel {
    let person = NSEntityDescription()
    person.name = "Person"
    let book = NSEntityDescription()
    book.name = "Book"
    let shelf = NSEntityDescription()
    shelf.name = "Shelf"
    for entity in [person, book, shelf] {
      entity.properties = [SampleStack.attribute("name", .stringAttributeType)]
    }
    func pair(
      _ first: (NSEntityDescription, String, many: Bool, ordered: Bool),
      _ second: (NSEntityDescription, String, many: Bool, ordered: Bool)
    ) {
      let there = SampleStack.relationship(
        first.1, to: second.0, toMany: first.many, isOrdered: first.ordered)
      let back = SampleStack.relationship(
        second.1, to: first.0, toMany: second.many, isOrdered: second.ordered)
      there.inverseRelationship = back
      back.inverseRelationship = there
      first.0.properties.append(there)
      second.0.properties.append(back)
    }
    for (name, isToMany) in [("spouse", false), ("friends", true)] {
      let own = SampleStack.relationship(name, to: person, toMany: isToMany)
      own.inverseRelationship = own
      person.properties.append(own)
    }
    pair((person, "children", many: true, ordered: false), (person, "parent", false, false))
    pair((person, "written", many: true, ordered: false), (book, "author", false, false))
    pair((person, "edited", many: true, ordered: true), (book, "editor", false, false))
    pair((book, "shelves", many: true, ordered: true), (shelf, "books", true, true))
    person.properties.append(SampleStack.relationship("idol", to: person))
    let model = NSManagedObjectModel()
    model.entities = [person, book, shelf]
    return model
  }
}

extension NSManagedObject {
  /// The names (or values of another attribute) of a relationship's destinations, sorted unless the
  /// relationship is ordered.
  func names(_ key: String, _ attribute: String = "name") -> [String] {
    let members: [Any] =
      switch value(forKey: key) {
      case let set as NSOrderedSet: set.array
      case let set as NSSet: set.allObjects
      case let object?: [object]
      case nil: []
      }
    let names = members.compactMap { ($0 as? NSManagedObject)?.value(forKey: attribute) as? String }
    return entity.relationshipsByName[key]?.isOrdered == true ? names : names.sorted()
  }
}
