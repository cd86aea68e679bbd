import CoreData
import CoreDataExplorer
import Foundation
import StoreInspection

/// A model with features that the sample lacks: subentities, a deny rule, a unique attribute, a
/// transient one.
///
/// `Box` and `Ball` are `Thing`s. Deleting a box deletes its balls, but a box with a lock cannot be
/// deleted.
enum RuledModel {
  static func make() -> NSManagedObjectModel {
    let thing = entity("Thing", [attribute("name")])
    thing.isAbstract = true
    let box = entity("Box", [attribute("shade", .transformableAttributeType)])
    box.properties.first?.isTransient = true
    let ball = entity("Ball", [attribute("weight", .integer16AttributeType)])
    thing.subentities = [box, ball]
    let lock = entity("Lock", [attribute("name")])
    let item = entity("Item", [attribute("code"), attribute("note")])
    item.uniquenessConstraints = [["code"]]
    // A relationship without an inverse.
    let about = NSRelationshipDescription()
    (about.name, about.destinationEntity, about.maxCount) = ("about", thing, 1)
    about.isOptional = true
    item.properties.append(about)
    connect(box, "balls", .cascadeDeleteRule, ball, "box")
    connect(box, "locks", .denyDeleteRule, lock, "box")
    let model = NSManagedObjectModel()
    model.entities = [thing, box, ball, lock, item]
    return model
  }

  private static func entity(
    _ name: String, _ properties: [NSPropertyDescription]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
  }

  private static func attribute(
    _ name: String, _ type: NSAttributeType = .stringAttributeType
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }

  /// Adds a to-many relationship, and its to-one inverse.
  static func connect(
    _ owner: NSEntityDescription, _ many: String, _ rule: NSDeleteRule,
    _ member: NSEntityDescription, _ one: String
  ) {
    let (toMany, toOne) = (NSRelationshipDescription(), NSRelationshipDescription())
    (toMany.name, toMany.destinationEntity, toMany.deleteRule) = (many, member, rule)
    (toOne.name, toOne.destinationEntity, toOne.deleteRule) = (one, owner, .nullifyDeleteRule)
    (toMany.isOptional, toOne.isOptional, toOne.maxCount) = (true, true, 1)
    (toMany.inverseRelationship, toOne.inverseRelationship) = (toOne, toMany)
    owner.properties.append(toMany)
    member.properties.append(toOne)
  }

  /// Inserts a box with two balls, a box with a lock, a ball without a box, and two items.
  static func fill(_ context: NSManagedObjectContext) {
    func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
      let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      object.setValuesForKeys(values)
      return object
    }
    let (open, locked) = (insert("Box", ["name": "Open"]), insert("Box", ["name": "Shut"]))
    _ = insert("Ball", ["name": "Red", "weight": 1, "box": open])
    _ = insert("Ball", ["name": "Blue", "weight": 2, "box": open])
    _ = insert("Ball", ["name": "Free", "weight": 3])
    _ = insert("Lock", ["name": "Lock", "box": locked])
    _ = insert("Item", ["code": "A"])
    _ = insert("Item", ["code": "B"])
  }
}
