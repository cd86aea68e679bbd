import CoreData

extension NSManagedObjectModel {
  /// The model of the contact list.
  static let contacts: NSManagedObjectModel = {
    let person = NSEntityDescription()
    person.name = "Person"
    person.managedObjectClassName = NSStringFromClass(Person.self)
    let phone = NSEntityDescription()
    phone.name = "Phone"
    phone.managedObjectClassName = NSStringFromClass(Phone.self)

    let phones = NSRelationshipDescription()
    phones.name = "phones"
    phones.destinationEntity = phone
    phones.deleteRule = .cascadeDeleteRule

    let owner = NSRelationshipDescription()
    owner.name = "person"
    owner.destinationEntity = person
    owner.maxCount = 1

    phones.inverseRelationship = owner
    owner.inverseRelationship = phones

    person.properties = [
      attribute("firstName", .string),
      attribute("lastName", .string),
      attribute("company", .string),
      attribute("displayOrder", .integer32, default: 0),
      phones,
    ]
    phone.properties = [attribute("label", .string), attribute("number", .string), owner]

    let model = NSManagedObjectModel()
    model.entities = [person, phone]
    return model
  }()

  private static func attribute(
    _ name: String, _ type: NSAttributeDescription.AttributeType, default value: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.type = type
    attribute.isOptional = false
    attribute.defaultValue = value
    return attribute
  }
}
