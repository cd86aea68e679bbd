import CoreData
import Testing

@Suite("Derived attributes")
struct DerivedAttributeTests {
  @Test("are computed by the store and there to be read after the save")
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

  /// Source: public reports of 1570 for derived attributes that are not optional, since they have no
  /// value before the first save.
  @Test("one that is required is missing at the insertion, and can be saved with a default value")
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

  /// Source: NSManagedObject's page: a save does not make a fault of an object.
  @Test("a save leaves objects filled in, with transient values, and the computed ones there")
  func afterSave() throws {
    let stack = try SampleStack(model: computedModel())
    let (context, store) = (stack.context, stack.coordinator.persistentStores[0])
    try context.performAndWait {
      let teams = try ["a", "b", "c"].map {
        try #require(context.insert("Team", ["name": $0, "mood": "merry"]) as? SelfReader)
      }
      try context.save()
      for team in teams {
        // `didSave` reads the values that are to be saved, and what was computed of them.
        #expect(team.seen == ["didSave \(team["name"] ?? "") \(team["upper"] ?? "")"])
        #expect(!team.isFault && team["mood"] == "merry" && !team.hasChanges)
      }
      #expect(teams.map { $0["upper"] } == ["A", "B", "C"])
      for team in teams {
        team.readsInDidSave = false
        team.setValue("x" + (team["name"] ?? ""), forKey: "name")
      }
      try context.save()
      let before = store.queryCount
      #expect(teams.allSatisfy { !$0.isFault && $0.faultingState == 0 })
      #expect(teams.map { $0["upper"] } == ["XA", "XB", "XC"])
      // One query for all of them.
      #expect(store.queryCount == before + 1)
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
}

/// Reads its own values when it was saved.
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
