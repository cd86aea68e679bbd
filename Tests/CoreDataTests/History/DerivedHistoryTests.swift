import CoreData
import Testing

@Suite("History of derived attributes", .only([.sqlite], "Apple: only SQLite stores keep history"))
struct DerivedHistoryTests {
  /// Opens a store with the sample model, in which a team also has the total of its players' scores and its name in
  /// lower case.
  private func open(
    in folder: borrowing TemporaryFolder
  ) throws -> NSManagedObjectContext {
    let model = SampleStack.makeModel()
    let team = try #require(model.entitiesByName["Team"])
    for (name, type, text) in [
      ("total", NSAttributeType.doubleAttributeType, "players.@sum.score"),
      ("lower", .stringAttributeType, "lowercase:(name)"),
    ] {
      let attribute = NSDerivedAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.derivationExpression = NSExpression(format: text)
      team.properties.append(attribute)
    }
    team.uniquenessConstraints = [["name"]]
    model.entitiesByName["Player"]?.properties.append(SampleStack.makeLocation())
    return try TestedStore.sqlite.open(
      model, at: folder.file("a.sqlite"),
      options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
    ).context
  }

  /// Returns what the history records about the body's changes: the entities, and the names of the
  /// updated properties.
  private func changes(
    _ context: NSManagedObjectContext, _ body: () throws -> Void
  ) throws -> [String] {
    let token = context.persistentStoreCoordinator?
      .currentPersistentHistoryToken(fromStores: nil)
    try body()
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
    let result = try context.execute(request) as? NSPersistentHistoryResult
    let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
    return transactions.flatMap { $0.changes ?? [] }.map { change in
      let names = change.updatedProperties?.map(\.name).sorted() ?? []
      return ([change.changedObjectID.entityName] + names).joined(separator: " ")
    }.sorted()
  }

  /// Apple's documentation does not say whether the history contains changes by triggers. Here it does, because a
  /// reader of the history needs them.
  @Test("The history lists rows and attributes that triggers change, and a composite by its name")
  func triggers() throws {
    let folder = try TemporaryFolder()
    let context = try open(in: folder)
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let player = context.insert("Player", ["score": 1.0, "team": red])
      try context.save()
      var found = try changes(context) {
        player.setValue(4.5, forKey: "score")
        player.setValue(1.5, forKeyPath: "location.latitude")
        try context.save()
      }
      #expect(found == ["Player location score", "Team total"])
      found = try changes(context) { try context.batchUpdate("Player", nil, ["score": 9.0]) }
      #expect(found == ["Player score", "Team total"])
      // The save writes the team's row, and a trigger changes it as well.
      context.refreshAllObjects()
      found = try changes(context) {
        red.setValue("Reds", forKey: "name")
        player.setValue(2.5, forKey: "score")
        try context.save()
      }
      #expect(found == ["Player score", "Team lower name total"])
    }
  }

  @Test("The history lists derived attributes of rows that a batch request writes")
  func batches() throws {
    let folder = try TemporaryFolder()
    let context = try open(in: folder)
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try context.performAndWait {
      for name in ["Red", "Blue", "Green"] { context.insert("Team", ["name": name]) }
      try context.save()
      var found = try changes(context) {
        try context.batchUpdate("Team", "name == 'Red'", ["name": "Crimson"])
      }
      #expect(found == ["Team lower name"])
      found = try changes(context) {
        try context.batchInsert("Team", [["name": "Blue"], ["name": "Gold"]])
      }
      #expect(found == ["Team", "Team lower name"])
    }
  }
}
