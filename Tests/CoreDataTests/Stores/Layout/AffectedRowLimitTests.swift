import Testing

@testable import CoreData
@testable import SQLiteEngine

/// More rows with derived values than a transaction records, with a small limit instead of a million rows.
@Suite(.only([.sqlite], "other stores compute derived values in memory, or record no rows"))
struct AffectedRowLimitTests {
  private static func model() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    for (entity, name, expression) in [
      ("Player", "shout", "uppercase:(team.name)"), ("Player", "volume", "length:(shout)"),
      ("Team", "total", "players.@sum.score"),
    ] {
      let attribute = NSDerivedAttributeDescription()
      attribute.name = name
      attribute.attributeType =
        switch name {
        case "shout": .stringAttributeType
        case "volume": .integer64AttributeType
        default: .doubleAttributeType
        }
      attribute.derivationExpression = NSExpression(format: expression)
      model.entitiesByName[entity]?.properties.append(attribute)
    }
    return model
  }

  @Test(arguments: [0, 1, 3, 7])
  func `Derived values of all rows are computed, also of those beyond the limit`(
    limit: Int
  ) throws {
    let stack = try SampleStack(model: Self.model())
    let engine = try #require(stack.coordinator.persistentStores[0].engine as? SQLiteStore)
    try engine.pool.write { $0.affected.limit = limit }
    let context = stack.context
    try context.performAndWait {
      let teams = ["Red", "Blue"].map { context.insert("Team", ["name": $0]) }
      for number in 0..<6 {
        context.insert(
          number == 5 ? "Captain" : "Player", ["score": 0.5, "team": teams[number % 2]])
      }
      try context.save()
      teams[0].setValue("Green", forKey: "name")
      try context.save()
      context.reset()
      let players = try context.all("Player", sort: ["team.name"])
      #expect(
        players.map { $0["shout"] } == ["BLUE", "BLUE", "BLUE", "GREEN", "GREEN", "GREEN"])
      #expect(players.map { $0["volume"] } == [4, 4, 4, 5, 5, 5])
      #expect(try context.all("Team").map { $0["total"] } == [1.5, 1.5])
    }
  }
}
