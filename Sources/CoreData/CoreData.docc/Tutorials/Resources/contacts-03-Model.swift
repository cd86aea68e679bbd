import CoreData

extension NSManagedObjectModel {
  /// The model of the contact list.
  static let contacts: NSManagedObjectModel = {
    let person = NSEntityDescription()
    person.name = "Person"
    person.managedObjectClassName = NSStringFromClass(Person.self)
    person.properties = [
      attribute("firstName", .string),
      attribute("lastName", .string),
      attribute("company", .string),
      attribute("displayOrder", .integer32, default: 0),
    ]

    let model = NSManagedObjectModel()
    model.entities = [person]
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
