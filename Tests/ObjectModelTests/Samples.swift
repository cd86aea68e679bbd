import Foundation

@testable import ObjectModel

/// Models made in code, for tests that need no files.
enum Samples {
  static func attribute(
    _ name: String, _ type: NSAttributeType, isOptional: Bool = true
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = isOptional
    return attribute
  }

  /// A model with Person, its subentity Employee, and Team with an ordered relationship to persons.
  static func staff() -> NSManagedObjectModel {
    let person = NSEntityDescription()
    person.name = "Person"
    let employee = NSEntityDescription()
    employee.name = "Employee"
    let team = NSEntityDescription()
    team.name = "Team"
    let home = NSRelationshipDescription()
    home.name = "team"
    home.destinationEntity = team
    home.maxCount = 1
    let members = NSRelationshipDescription()
    members.name = "members"
    members.destinationEntity = person
    members.isOrdered = true
    home.inverseRelationship = members
    members.inverseRelationship = home
    person.properties = [
      attribute("name", .stringAttributeType, isOptional: false),
      attribute("age", .integer16AttributeType), home,
    ]
    person.subentities = [employee]
    employee.properties = [attribute("salary", .decimalAttributeType)]
    team.properties = [attribute("title", .stringAttributeType), members]
    let model = NSManagedObjectModel()
    model.entities = [person, employee, team]
    return model
  }

  /// Returns the text of a source model with these elements.
  static func contents(_ body: String) -> Data {
    Data(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
      userDefinedModelVersionIdentifier="">
      \(body)
      </model>
      """.utf8)
  }
}
