import CoreData
import StoreInspection
import Testing

struct EntityReachTests {
  /// The entities Club, Player and Team: a club has players, and a player has a team.
  private static func model() -> NSManagedObjectModel {
    let entities = ["Club", "Player", "Team"].map { name in
      let entity = NSEntityDescription()
      entity.name = name
      let rank = NSAttributeDescription()
      (rank.name, rank.attributeType) = ("rank", .integer64AttributeType)
      entity.properties = [rank]
      return entity
    }
    for (owner, name, destination, most) in [(0, "players", 1, 0), (1, "team", 2, 1)] {
      let relationship = NSRelationshipDescription()
      relationship.name = name
      relationship.destinationEntity = entities[destination]
      relationship.maxCount = most
      entities[owner].properties.append(relationship)
    }
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  @Test(arguments: [
    "players.@max.team.rank > 3", "players.team.@max.rank > 3", "ANY players.self.team.rank > 3",
    "(players).@max.team.rank > 3",
    "SUBQUERY(players, $p, $p.team.rank > 3).@count > 0",
    "SUBQUERY(SELF.players.self, $p, $p.self.team.rank > 3).@count > 0",
  ])
  func `A condition reaches the entities after an operator and after self`(
    condition: String
  ) throws {
    let model = Self.model()
    let club = try #require(model.entitiesByName["Club"])
    var reach = EntityReach()
    reach.add(try NSPredicate(validating: condition, arguments: []), in: ConditionScope(of: club))
    #expect(reach.names.isSuperset(of: ["Player", "Team"]))
    #expect(reach.isComplete)
    #expect(reach.meets(["Team"]))
  }
}
