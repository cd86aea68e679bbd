import CoreData

/// A model with something of everything that a save writes: a counter; entries with ordered items,
/// some of a subentity and with data that may be external; many-to-many tags; lines for batch
/// requests.
enum WorkloadModel {
  static let model = make()
  /// Another version, to which a store is migrated and back. It has an altered table, a rebuilt
  /// one, a new one, and other entity numbers.
  static let next: NSManagedObjectModel = {
    let model = make()
    let added = entity("Added", [attribute("name", .stringAttributeType)])
    let unit = attribute("unit", .stringAttributeType)
    unit.defaultValue = "steps"
    model.entitiesByName["Line"]?.properties.append(unit)
    model.entitiesByName["Counter"]?.attributesByName["value"]?.attributeType =
      .doubleAttributeType
    model.entitiesByName["Entry"]?.properties.append(attribute("more", .integer16AttributeType))
    model.entities.append(added)
    return model
  }()

  private static func attribute(
    _ name: String, _ type: NSAttributeType
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }

  private static func connect(
    _ name: String, of entity: NSEntityDescription, max: Int, ordered: Bool = false,
    rule: NSDeleteRule = .nullifyDeleteRule, and inverseName: String,
    of other: NSEntityDescription, max inverseMax: Int
  ) {
    let one = NSRelationshipDescription()
    one.name = name
    one.destinationEntity = other
    one.maxCount = max
    one.isOptional = true
    one.isOrdered = ordered
    one.deleteRule = rule
    let inverse = NSRelationshipDescription()
    inverse.name = inverseName
    inverse.destinationEntity = entity
    inverse.maxCount = inverseMax
    inverse.isOptional = true
    inverse.deleteRule = .nullifyDeleteRule
    one.inverseRelationship = inverse
    inverse.inverseRelationship = one
    entity.properties.append(one)
    other.properties.append(inverse)
  }

  private static func entity(
    _ name: String, _ properties: [NSPropertyDescription]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
  }

  private static func make() -> NSManagedObjectModel {
    let payload = attribute("payload", .binaryDataAttributeType)
    payload.allowsExternalBinaryDataStorage = true
    let list = attribute("list", .transformableAttributeType)
    let entry = entity(
      "Entry",
      [
        attribute("number", .integer64AttributeType), attribute("note", .stringAttributeType),
        attribute("made", .dateAttributeType), attribute("badge", .UUIDAttributeType),
        attribute("page", .URIAttributeType), attribute("fee", .decimalAttributeType), list,
      ])
    entry.uniquenessConstraints = [["number"]]
    let item = entity("Item", [attribute("place", .integer16AttributeType), payload])
    let special = entity("SpecialItem", [attribute("extra", .doubleAttributeType)])
    item.subentities = [special]
    let tag = entity("Tag", [attribute("name", .stringAttributeType)])
    tag.uniquenessConstraints = [["name"]]
    let counter = entity(
      "Counter",
      [attribute("name", .stringAttributeType), attribute("value", .integer64AttributeType)])
    let line = entity(
      "Line",
      [attribute("number", .integer64AttributeType), attribute("text", .stringAttributeType)])
    connect(
      "items", of: entry, max: 0, ordered: true, rule: .cascadeDeleteRule, and: "entry", of: item,
      max: 1)
    connect("favourite", of: entry, max: 1, and: "favouriteOf", of: item, max: 1)
    connect("tags", of: entry, max: 0, and: "entries", of: tag, max: 0)
    let model = NSManagedObjectModel()
    model.entities = [entry, item, special, tag, counter, line]
    return model
  }
}
