import Foundation
import Testing

@testable import ObjectModel

@Suite("Problems are reported all at once") struct ManyProblemsTests {
  @Test("Ten errors result in one error that lists them all, without warnings")
  func ten() throws {
    let spoiled = try SpoiledModel()
    try spoiled.relationship("team").isOrdered = true
    try spoiled.relationship("members").minCount = 4
    try spoiled.relationship("members").maxCount = 2
    try spoiled.attribute("age").defaultValue = "old"
    try spoiled.attribute("title").name = "objectID"
    spoiled.employee.ownProperties += [
      Samples.attribute("name", .stringAttributeType),
      Samples.attribute("room", .undefinedAttributeType),
    ]
    spoiled.person.uniquenessConstraints = [["email"]]
    let lost = NSRelationshipDescription()
    lost.name = "office"
    spoiled.person.ownProperties += [lost]
    try spoiled.attribute("name").validationRules = [ValidationRule(.matches("("))]
    let empty = NSCompositeAttributeDescription()
    empty.name = "address"
    spoiled.team.ownProperties += [empty]
    let error = try #require(throws: NSError.self) { try spoiled.model.validate() }
    #expect(error.domain == NSCocoaErrorDomain)
    #expect(error.code == 1560)
    #expect(
      error.localizedDescription == """
        The model cannot be used; it has 10 errors:
          Person: a uniqueness constraint contains the unknown property 'email'
          Person.name: the pattern '(' is not a valid regular expression
          Person.age: the default value "old" is not of the type Integer 16
          Person.team: only a to-many relationship can be ordered
          Person.office: the relationship has no destination entity
          Employee.name: the entity inherits a property of this name from 'Person'
          Employee.room: a stored attribute needs a type, and it has none
          Team.objectID: every managed object already has a member with this name
          Team.members: the minimum of 4 objects is greater than the maximum of 2
          Team.address: the composite attribute has no elements
        """)
    let details = try #require(error.userInfo["NSDetailedErrors"] as? [NSError])
    #expect(details.map(\.code) == Array(repeating: 134060, count: 10))
    #expect(details[2].userInfo["entity"] as? String == "Person")
    #expect(details[2].userInfo["property"] as? String == "age")
    #expect(details[2].userInfo["kind"] as? String == "wrongDefault")
    #expect(spoiled.model.problems.count == 11)
    #expect(
      spoiled.model.problems.filter { $0.severity == .warning }.map(\.kind) == [.missingInverse])
  }

  @Test("A single error is thrown directly")
  func single() throws {
    let spoiled = try SpoiledModel()
    try spoiled.relationship("team").isOrdered = true
    let error = try #require(throws: NSError.self) { try spoiled.model.validate() }
    #expect(error.code == 134060)
    #expect(
      error.localizedDescription
        == "The model cannot be used: Person.team: only a to-many relationship can be ordered.")
  }

  @Test("Every kind of problem has a severity and a unique name")
  func kinds() {
    let kinds = ModelProblem.Kind.allCases
    #expect(Set(kinds.map(\.rawValue)).count == kinds.count)
    #expect(kinds.filter { $0.severity == .warning }.count == 12)
  }

  @Test("Inspecting a model changes nothing in it")
  func pure() throws {
    let spoiled = try SpoiledModel()
    let hashes = spoiled.model.entityVersionHashesByName
    _ = spoiled.model.problems
    #expect(spoiled.model.entityVersionHashesByName == hashes)
    spoiled.employee.name = "Clerk"
    #expect(spoiled.problems == [])
  }
}
