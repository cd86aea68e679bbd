import CoreData
import Testing

@Suite("Derived attributes")
struct DerivedAttributeTests {
  @Test("have no value before the first save, and after each save the value from the store")
  func count() throws {
    let model = SampleStack.makeModel()
    let count = NSDerivedAttributeDescription()
    count.name = "playerCount"
    count.attributeType = .integer64AttributeType
    count.derivationExpression = NSExpression(format: "count:(players)")
    model.entitiesByName["Team"]?.properties.append(count)
    let stack = try SampleStack(model: model)
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let ann = context.insert("Player", ["name": "Ann", "team": red])
      context.insert("Player", ["name": "Bob", "team": red])
      #expect(red.value(forKey: "playerCount") == nil)
      try context.save()
      #expect(red.value(forKey: "playerCount") as? Int == 2)
      #expect(try context.all("Team", "playerCount == 2").count == 1)
      context.delete(ann)
      try context.save()
      #expect(red.value(forKey: "playerCount") as? Int == 1)
    }
  }

  /// Source: public reports of error 1570 for derived attributes that are not optional, because derived attributes have no
  /// value before the first save.
  @Test("a new object fails validation if a required one has no default value")
  func required() throws {
    for defaultValue in [nil, 0] as [Int?] {
      let model = SampleStack.makeModel()
      let count = NSDerivedAttributeDescription()
      count.name = "playerCount"
      count.attributeType = .integer64AttributeType
      count.isOptional = false
      count.defaultValue = defaultValue
      count.derivationExpression = NSExpression(format: "players.@count")
      model.entitiesByName["Team"]?.properties.append(count)
      let stack = try SampleStack(model: model)
      let context = stack.context
      try context.performAndWait {
        let red = context.insert("Team", ["name": "Red"])
        context.insert("Player", ["team": red])
        guard defaultValue != nil else {
          let error = #expect(throws: NSError.self) { try context.save() }
          #expect(error?.code == NSValidationMissingMandatoryPropertyError)
          #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "playerCount")
          #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === red)
          return
        }
        try context.save()
        #expect(red.value(forKey: "playerCount") as? Int == 1)
        red.setValue("Blue", forKey: "name")
        context.insert("Player", ["team": red])
        try context.save()
        #expect(red.value(forKey: "playerCount") as? Int == 2)
      }
    }
  }

  private func computedModel() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    let upper = NSDerivedAttributeDescription()
    upper.name = "upper"
    upper.attributeType = .stringAttributeType
    upper.derivationExpression = NSExpression(format: "uppercase:(name)")
    let mood = SampleStack.attribute("mood", .stringAttributeType)
    mood.isTransient = true
    let team = model.entitiesByName["Team"]
    team?.managedObjectClassName = "CoreDataTests.SelfReader"
    team?.properties += [upper, mood]
    return model
  }

  /// Source: Apple's page on NSManagedObject: a save does not turn an object into a fault.
  @Test("after a save, objects are not faults and have their transient and derived values")
  func afterSave() throws {
    let stack = try SampleStack(model: computedModel())
    let (context, store) = (stack.context, stack.coordinator.persistentStores[0])
    try context.performAndWait {
      let teams = try ["a", "b", "c"].map {
        try #require(context.insert("Team", ["name": $0, "mood": "merry"]) as? SelfReader)
      }
      try context.save()
      for team in teams {
        // `didSave` reads the saved values and those derived from them.
        #expect(team.seen == ["didSave \(team["name"] ?? "") \(team["upper"] ?? "")"])
        #expect(!team.isFault && team["mood"] == "merry" && !team.hasChanges)
      }
      #expect(teams.map { $0["upper"] } == ["A", "B", "C"])
      for team in teams {
        team.readsInDidSave = false
        team.setValue("x" + (team["name"] ?? ""), forKey: "name")
      }
      try context.save()
      // The save has read the derived values with one query, so reading them needs no further query.
      let before = store.queryCount
      #expect(teams.allSatisfy { !$0.isFault && $0.faultingState == 0 })
      #expect(teams.map { $0["upper"] } == ["XA", "XB", "XC"])
      #expect(store.queryCount == before)
      #expect(teams.allSatisfy { $0["mood"] == "merry" && $0.seen.count == 1 })
      teams[0].setValue("y", forKey: "name")
      try context.save()
      #expect(try context.all("Team", "upper == 'Y'") == [teams[0]])
      #expect(teams[0]["mood"] == "merry" && teams[0]["upper"] == "Y")
      context.refresh(teams[0], mergeChanges: false)
      #expect(teams[0].isFault && teams[0].value(forKey: "mood") == nil)
      #expect(teams[0].seen.last == "awakeFromFetch")
    }
  }

  @Test(
    "conflicts, merges and undo work after a save has read derived values")
  func afterOtherSave() throws {
    let stack = try SampleStack(model: computedModel())
    let (context, other) = (stack.context, stack.newContext())
    try onQueues(of: context, other) {
      let team = context.insert("Team", ["name": "a"])
      try context.save()
      let saved = Recorder(.NSManagedObjectContextDidSave, of: other)
      let twin = try other.existingObject(with: team.objectID)
      twin.setValue("there", forKey: "name")
      try other.save()
      #expect(twin["upper"] == "THERE")
      // A fetch does not change an object in use.
      _ = try context.all("Team")
      #expect(team["name"] == "a" && team["upper"] == "A")
      team.setValue("here", forKey: "name")
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      context.rollback()
      context.mergeChanges(fromContextDidSave: try #require(saved.notifications.first))
      #expect(team["name"] == "there" && team["upper"] == "THERE")
      context.undoManager = UndoManager()
      team.setValue("here", forKey: "name")
      try context.save()
      #expect(team["upper"] == "HERE")
      context.undo()
      #expect(team["name"] == "there" && team.isUpdated)
      try context.save()
      #expect(team["upper"] == "THERE")
      context.undoManager?.removeAllActions()
      context.delete(team)
      try context.save()
      context.undo()
      try context.save()
      #expect(team["name"] == "there" && team["upper"] == "THERE")
    }
  }

  @Test("a context pinned to a query generation reads the values its own save derived")
  func pinned() throws {
    let folder = try TemporaryFolder()
    let (_, context) = try TestedStore.sqlite.open(computedModel(), at: folder.file("a.sqlite"))
    try context.performAndWait {
      try context.setQueryGenerationFrom(.current)
      #expect(try context.all("Team").isEmpty)
      let team = context.insert("Team", ["name": "a"])
      try context.save()
      #expect(team["upper"] == "A" && !team.isFault)
    }
  }
}

/// Reads its own values in `didSave`.
final class SelfReader: NSManagedObject {
  private(set) var seen: [String] = []
  var readsInDidSave = true

  override func awakeFromFetch() {
    super.awakeFromFetch()
    seen.append("awakeFromFetch")
  }

  override func didSave() {
    super.didSave()
    guard readsInDidSave else { return }
    let values = ["name", "upper"].map { value(forKey: $0) as? String ?? "nil" }
    seen.append("didSave \(values[0]) \(values[1])")
  }
}
