import Foundation
import Testing

@testable import ObjectModel

@Suite("Rules for relations between entities, properties and models") struct HierarchyRulesTests {
  @Test("An entity is not its own ancestor")
  func circular() throws {
    let spoiled = try SpoiledModel()
    spoiled.employee.subentities = [spoiled.team]
    spoiled.team.subentities = [spoiled.person]
    #expect(
      spoiled.problems.filter { $0.hasPrefix("circular") } == [
        "circularParents Person: the entity is its own ancestor",
        "circularParents Employee: the entity is its own ancestor",
        "circularParents Team: the entity is its own ancestor",
      ])
    let alone = try SpoiledModel()
    alone.team.subentities = [alone.team]
    #expect(alone.problems == ["circularParents Team: the entity is its own ancestor"])
  }

  @Test("A model with an entity that is its own ancestor can be compared and copied")
  func circularAnswers() throws {
    let spoiled = try SpoiledModel()
    spoiled.employee.subentities = [spoiled.team]
    spoiled.team.subentities = [spoiled.person]
    let model = spoiled.model
    let other = NSEntityDescription()
    other.name = "Other"
    other.subentities = [other]
    model.entities.append(other)
    model.setEntities([spoiled.person], forConfigurationName: "People")
    let names = ["Person", "Employee", "Team"]
    #expect(
      Set(model.storedEntities(forConfigurationName: "People")?.compactMap(\.name) ?? [])
        == Set(names))
    let hashes = model.entityVersionHashesByName
    for (name, fits) in [(nil, true), ("People", false)] as [(String?, Bool)] {
      let metadata = ["NSStoreModelVersionHashes": hashes]
      #expect(model.isConfiguration(withName: name, compatibleWithStoreMetadata: metadata) == fits)
    }
    #expect(spoiled.person.isKindOf(entity: spoiled.team))
    #expect(!spoiled.person.isKindOf(entity: other))
    let copy = try #require(spoiled.person.copy() as? NSEntityDescription)
    #expect(copy.superentity == nil)
    #expect(copy.subentities.map(\.name) == ["Employee"])
    #expect(copy.subentities.first?.subentities.map(\.name) == ["Team"])
    #expect(copy.subentities.first?.subentities.first?.subentities == [])
    #expect((other.copy() as? NSEntityDescription)?.subentities == [])
    #expect((model.copy() as? NSManagedObjectModel)?.entities.count == 4)
  }

  @Test("Parents and subentities are in the model")
  func outside() throws {
    let spoiled = try SpoiledModel()
    let manager = NSEntityDescription()
    manager.name = "Manager"
    let thing = NSEntityDescription()
    thing.name = "Thing"
    spoiled.employee.subentities = [manager]
    thing.subentities = [spoiled.team]
    withExtendedLifetime(thing) {
      #expect(
        spoiled.problems == [
          "relativeOutsideModel Employee: its subentity 'Manager' is not in the model",
          "relativeOutsideModel Team: its parent entity 'Thing' is not in the model",
        ])
    }
  }

  @Test("An entity has one parent and one model")
  func sharedEntity() throws {
    let spoiled = try SpoiledModel()
    spoiled.team.subentities = [spoiled.employee]
    #expect(
      spoiled.problems == [
        "sharedDescription Person: its subentity 'Employee' is also a subentity of 'Team'"
      ])
    let other = NSManagedObjectModel()
    let second = try SpoiledModel()
    other.entities = [second.team]
    withExtendedLifetime(other) {
      #expect(
        second.problems == [
          "sharedDescription Team: the entity belongs to another model; use a copy of it"
        ])
    }
  }

  @Test("A property and an index belong to one entity")
  func sharedProperty() throws {
    let spoiled = try SpoiledModel()
    let age = try spoiled.attribute("age")
    spoiled.team.ownProperties += [age]
    let index = NSFetchIndexDescription(
      name: "byAge",
      elements: [NSFetchIndexElementDescription(property: age, collationType: .binary)])
    spoiled.person.indexes = [index]
    spoiled.team.indexes = [index]
    #expect(
      spoiled.problems == [
        "sharedDescription Person.age: the property also belongs to 'Team'; use a copy of it",
        "sharedDescription Person: the index 'byAge' also belongs to 'Team'; use a copy of it",
      ])
  }

  @Test("A configuration has a name and entities of the model")
  func configurations() throws {
    let spoiled = try SpoiledModel()
    spoiled.model.configurationTable = [
      ModelConfiguration(name: "Cloud", entityNames: ["Team", "Persn"]),
      ModelConfiguration(name: "", entityNames: ["Team"]),
    ]
    #expect(
      spoiled.problems == [
        "invalidConfiguration the model: the configuration 'Cloud' has the unknown entity"
          + " 'Persn' (did you mean 'Person'?)",
        "invalidConfiguration the model: a configuration has no name",
      ])
  }
}
