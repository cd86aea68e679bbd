import Foundation
import Testing

@testable import ObjectModel

@Suite("Rules for names") struct NameRulesTests {
  @Test("A valid model has no problems")
  func sound() throws {
    let spoiled = try SpoiledModel()
    #expect(spoiled.problems == [])
    try spoiled.model.validate()
  }

  @Test("An entity and a property need a name")
  func missing() throws {
    let spoiled = try SpoiledModel()
    spoiled.employee.name = nil
    try spoiled.attribute("title").name = ""
    #expect(
      spoiled.problems == [
        "missingName (no name): the entity has no name",
        "missingName Team.(no name): the property has no name",
      ])
  }

  @Test("Entity names are unique")
  func repeatedEntity() throws {
    let spoiled = try SpoiledModel()
    spoiled.employee.name = "Team"
    #expect(spoiled.problems == ["repeatedName Team: another entity has this name too"])
  }

  @Test("Root entities do not share a table; names that differ only in case are a warning")
  func tables() throws {
    let spoiled = try SpoiledModel()
    let other = NSEntityDescription()
    other.name = "TEAM"
    spoiled.employee.name = "PERSON"
    let own = NSEntityDescription()
    own.name = "_Metadata"
    spoiled.model.entities += [other, own]
    #expect(
      spoiled.problems == [
        "similarName PERSON: the name differs from that of the entity 'Person' only in case",
        "tableClash TEAM: it would share the table ZTEAM with 'Team'",
        "tableClash _Metadata: the table Z_METADATA is one of Core Data's own",
      ])
  }

  @Test("Property names are unique in an entity")
  func repeatedProperty() throws {
    let spoiled = try SpoiledModel()
    try spoiled.attribute("age").name = "name"
    #expect(
      spoiled.problems == [
        "repeatedName Person.name: another property of the entity has this name too"
      ])
  }

  @Test("A property cannot be in an entity twice, at any position")
  func repeatedDescription() throws {
    for place in try SpoiledModel().person.ownProperties.indices {
      let spoiled = try SpoiledModel()
      let property = spoiled.person.ownProperties[place]
      spoiled.person.ownProperties.insert(property, at: place)
      #expect(
        spoiled.problems.contains(
          "repeatedName Person.\(property.name): another property of the entity has this name too"))
    }
  }

  @Test("An entity does not redeclare an inherited property")
  func inherited() throws {
    let spoiled = try SpoiledModel()
    spoiled.employee.ownProperties += [Samples.attribute("name", .stringAttributeType)]
    #expect(
      spoiled.problems == [
        "inheritedName Employee.name: the entity inherits a property of this name from 'Person'"
      ])
  }

  @Test("Property names that differ only in case are a warning")
  func similar() throws {
    let spoiled = try SpoiledModel()
    spoiled.person.ownProperties += [Samples.attribute("nAME", .stringAttributeType)]
    spoiled.employee.ownProperties += [Samples.attribute("aGe", .stringAttributeType)]
    #expect(
      spoiled.problems == [
        "similarName Person.nAME: the name differs from 'name' only in case",
        "similarName Employee.aGe: the name differs from 'age' only in case",
      ])
    try spoiled.model.validate()
  }

  /// Apple's documentation of `NSPropertyDescription`: "you cannot give a property the name
  /// "description"".
  @Test(
    "A property cannot have the name of a managed object's member",
    arguments: ["description", "objectID", "entity", "managedObjectContext", "isDeleted", "hash"])
  func reserved(name: String) throws {
    let spoiled = try SpoiledModel()
    try spoiled.attribute("age").name = name
    #expect(
      spoiled.problems == [
        "reservedName Person.\(name): every managed object already has a member with this name"
      ])
  }

  @Test("Names that key paths or files cannot contain are rejected")
  func impossible() throws {
    let spoiled = try SpoiledModel()
    try spoiled.attribute("age").name = "a.b"
    try spoiled.attribute("title").name = "@count"
    spoiled.employee.name = "Big/Employee"
    #expect(
      spoiled.problems == [
        "impossibleName Big/Employee: the name cannot contain the character \"/\"",
        "impossibleName Person.a.b: a key path cannot contain a name with the character \".\"",
        "impossibleName Team.@count: a key path cannot contain a name with the character \"@\"",
      ])
  }

  @Test("Names that Xcode would not accept are a warning")
  func unusual() throws {
    let spoiled = try SpoiledModel()
    spoiled.employee.name = "employee"
    try spoiled.attribute("age").name = "Age"
    try spoiled.attribute("title").name = "job title"
    try spoiled.attribute("name").name = "deleted"
    #expect(
      spoiled.problems == [
        "unusualName employee: names of entities should begin with a capital letter",
        "unusualName Person.deleted: the name is easily confused with 'isDeleted' of managed objects",
        "unusualName Person.Age: names of properties should begin with a lowercase letter",
        "unusualName Team.job title: the name is not a valid name for a property of a class",
      ])
    try spoiled.model.validate()
  }

  @Test("Two renamed elements cannot have the same former name")
  func renaming() throws {
    let spoiled = try SpoiledModel()
    spoiled.employee.renamingIdentifier = "Team"
    try spoiled.attribute("age").renamingIdentifier = "name"
    #expect(
      spoiled.problems == [
        "repeatedRenamingIdentifier Person.age: the renaming identifier 'name' is also that of 'name'",
        "repeatedRenamingIdentifier Team: the renaming identifier 'Team' is also that of 'Employee'",
      ])
  }
}
