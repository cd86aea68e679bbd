import Foundation
import Testing

@testable import ObjectModel

/// A valid model that tests make invalid: Person (name, age, team) above Employee (salary), and Team
/// (title, members).
struct SpoiledModel {
  let model = Samples.staff()
  let person: NSEntityDescription
  let employee: NSEntityDescription
  let team: NSEntityDescription

  init() throws {
    person = try #require(model.entitiesByName["Person"])
    employee = try #require(model.entitiesByName["Employee"])
    team = try #require(model.entitiesByName["Team"])
  }

  func attribute(_ name: String) throws -> NSAttributeDescription {
    try #require(person.attributesByName[name] ?? team.attributesByName[name])
  }

  func relationship(_ name: String) throws -> NSRelationshipDescription {
    try #require(person.relationshipsByName[name] ?? team.relationshipsByName[name])
  }

  /// The problems, each as `kind place: message`.
  var problems: [String] {
    model.problems.map { "\($0.kind.rawValue) \($0)" }
  }
}
