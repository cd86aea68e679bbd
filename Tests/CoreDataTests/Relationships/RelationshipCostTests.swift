import CoreData
import Testing

@Suite("Query counts of relationships")
struct RelationshipCostTests {
  /// Calls `body` and returns how many queries the store executed during the call.
  private func queries(_ stack: SampleStack, _ body: () throws -> Void) rethrows -> Int {
    let store = stack.coordinator.persistentStores[0]
    let before = store.queryCount
    try body()
    return store.queryCount - before
  }

  /// Saves a team with players and as many trophies, and three tags that all players have, and resets the context so
  /// that none of them are in memory. Returns the team as a fault.
  private func saved(
    _ stack: SampleStack, players: Int, _ change: (NSManagedObjectModel) -> Void = { _ in }
  ) throws -> NSManagedObject {
    let context = stack.context
    let team = context.insert("Team", ["name": "Red"])
    let tags = (0..<3).map { context.insert("Tag", ["label": "\($0)"]) }
    for number in 0..<players {
      let player = context.insert("Player", ["number": number, "team": team])
      player.setValue(NSSet(array: tags), forKey: "tags")
    }
    team.setValue(
      NSOrderedSet(array: (0..<players).map { context.insert("Trophy", ["title": "\($0)"]) }),
      forKey: "trophies")
    try context.save()
    context.reset()
    return try context.all("Team")[0]
  }

  @Test("Both sides of a relationship are maintained without firing a fault on one side")
  func faultsStay() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let team = try saved(stack, players: 3)
      #expect(team.isFault)
      let player = context.insert("Player", ["number": 9])
      #expect(queries(stack) { player.setValue(team, forKey: "team") } == 0)
      let other = try context.all("Player", "number == 1")[0]
      let third = try context.all("Player", "number == 2")[0]
      #expect(other.isFault)
      // The row came with the fetch, and the team's members are not needed.
      #expect(queries(stack) { other.setValue(nil, forKey: "team") } == 0)
      #expect(
        queries(stack) { team.mutableSetValue(forKey: "players").remove(third) } == 0)
      #expect(queries(stack) { context.processPendingChanges() } == 0)
      #expect(team.hasFault(forRelationshipNamed: "players"))
      #expect(third.isFault)
      #expect(player.names("team") == ["Red"])
      // One query for the members, and one for the team's row.
      var numbers: [Int] = []
      let count = queries(stack) {
        numbers = (team.value(forKey: "players") as? Set<NSManagedObject> ?? []).compactMap {
          $0.value(forKey: "number") as? Int
        }
      }
      #expect(numbers.sorted() == [0, 9] && count <= 2)
      try context.save()
      context.reset()
      #expect(try context.all("Player", "team.name == 'Red'").count == 2)
    }
  }

  @Test(
    "Deleting a parent reads its children in batches, whatever the rule",
    arguments: ["nullify", "cascade", "required"])
  func deletingParents(rule: String) throws {
    let model = SampleStack.makeModel()
    let team = try #require(model.entitiesByName["Team"])
    if rule == "cascade" {
      team.relationshipsByName["players"]?.deleteRule = .cascadeDeleteRule
    }
    if rule == "required" {
      // The save counts the tags of each player it updates.
      model.entitiesByName["Player"]?.relationshipsByName["tags"]?.isOptional = false
    }
    let stack = try SampleStack(model: model)
    let context = stack.context
    try context.performAndWait {
      let team = try saved(stack, players: 3000)
      let count = try queries(stack) {
        context.delete(team)
        context.processPendingChanges()
        try context.save()
      }
      // The delete rules visit 3,000 players, as many trophies, and the relationships of each.
      #expect(count < 60, "\(rule): \(count) queries")
      #expect(try context.all("Team").isEmpty && context.all("Trophy").isEmpty)
      #expect(try context.all("Player").count == (rule == "cascade" ? 0 : 3000))
    }
  }

  @Test("Deleting ordered children one by one, and changing many owners, needs few queries")
  func deletingChildren() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let team = try saved(stack, players: 2000)
      let trophies = try context.all("Trophy")
      let first = try queries(stack) {
        for trophy in trophies { context.delete(trophy) }
        try context.save()
      }
      #expect(first < 20, "\(first) queries")
      #expect(team.names("trophies", "title") == [])
      // Each of 500 teams gets one more trophy, with an order number of its own.
      let teams = (0..<500).map { context.insert("Team", ["name": "\($0)"]) }
      for team in teams { context.insert("Trophy", ["title": "a", "winner": team]) }
      try context.save()
      context.refreshAllObjects()
      for team in teams { context.insert("Trophy", ["title": "b", "winner": team]) }
      let second = try queries(stack) { try context.save() }
      #expect(second < 20, "\(second) queries")
      context.reset()
      #expect(try context.all("Team", "name == '7'")[0].names("trophies", "title") == ["a", "b"])
    }
  }

  @Test("A save of many objects reads their rows at most once if only their members changed")
  func membersAlone() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      for label in ["a", "b"] { context.insert("Tag", ["label": label]) }
      for number in 0..<2000 { context.insert("Player", ["number": number]) }
      try context.save()
      for isFault in [true, false] {
        context.reset()
        let tag = try #require(try context.all("Tag", "players.@count == 0").first)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.includesPropertyValues = !isFault
        tag.mutableSetValue(forKey: "players").addObjects(from: try context.fetch(request))
        let count = try queries(stack) { try context.save() }
        #expect(count == (isFault ? 1 : 0))
      }
      #expect(try context.all("Player", "tags.@count == 2").count == 2000)
    }
  }
}
