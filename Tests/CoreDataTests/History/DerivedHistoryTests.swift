import CoreData
import Testing

@Suite("History of derived attributes", .only([.sqlite], "Apple: only SQLite stores keep history"))
struct DerivedHistoryTests {
  /// What Apple's history has of such rows is not known; a reader of it would want to hear of them.
  @Test("names the rows that triggers changed, and their attributes; a composite by its own name")
  func triggers() throws {
    let model = SampleStack.makeModel()
    let team = try #require(model.entitiesByName["Team"])
    let total = NSDerivedAttributeDescription()
    total.name = "total"
    total.attributeType = .doubleAttributeType
    total.derivationExpression = NSExpression(format: "players.@sum.score")
    team.properties.append(total)
    model.entitiesByName["Player"]?.properties.append(SampleStack.makeLocation())
    let folder = try TemporaryFolder()
    let (_, context) = try TestedStore.sqlite.open(
      model, at: folder.file("a.sqlite"),
      options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
    func changes(after token: NSPersistentHistoryToken?) throws -> [String] {
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
      let result = try context.execute(request) as? NSPersistentHistoryResult
      let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
      return transactions.flatMap { $0.changes ?? [] }.map { change in
        let names = change.updatedProperties?.map(\.name).sorted() ?? []
        return "\(change.changedObjectID.entityName) \(names.joined(separator: " "))"
      }.sorted()
    }
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let player = context.insert("Player", ["score": 1.0, "team": red])
      try context.save()
      let coordinator = context.persistentStoreCoordinator
      var token = coordinator?.currentPersistentHistoryToken(fromStores: nil)
      player.setValue(4.5, forKey: "score")
      player.setValue(1.5, forKeyPath: "location.latitude")
      try context.save()
      #expect(try changes(after: token) == ["Player location score", "Team total"])
      token = coordinator?.currentPersistentHistoryToken(fromStores: nil)
      try context.batchUpdate("Player", nil, ["score": 9.0])
      #expect(try changes(after: token) == ["Player score", "Team total"])
      // Of a row that the save writes itself, too.
      token = coordinator?.currentPersistentHistoryToken(fromStores: nil)
      context.refreshAllObjects()
      red.setValue("Reds", forKey: "name")
      player.setValue(2.5, forKey: "score")
      try context.save()
      #expect(try changes(after: token) == ["Player score", "Team name total"])
    }
  }
}
