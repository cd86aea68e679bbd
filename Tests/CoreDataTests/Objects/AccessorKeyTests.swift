import CoreData
import Testing

// Source: Key-Value Coding Programming Guide, "Accessor Search Patterns". A key finds the methods
// set<Key>:, get<Key>, <key>, is<Key> and _<key>, and the properties of a managed object have such
// methods.
@Suite(.onEveryStore)
struct AccessorKeyTests {
  private func withPlayer(_ body: (NSManagedObjectContext, NSManagedObject) throws -> Void) throws {
    let model = SampleStack.makeModel()
    let player = model.entitiesByName["Player"]
    for name in ["URL", "getRank", "_hidden"] {
      player?.properties.append(SampleStack.attribute(name, .stringAttributeType))
    }
    try SampleStack.withContext(model: model) { try body($0, $0.insert("Player")) }
  }

  @Test func `Setting a value ignores the case of the key's first letter`() throws {
    try withPlayer { context, player in
      player.setValue("Ann", forKey: "Name")
      player.setValue(7, forKey: "Age")
      player.setValue(context.insert("Team"), forKey: "Team")
      player.setValue("a", forKey: "uRL")
      #expect(player.value(forKey: "name") as? String == "Ann")
      #expect(player.value(forKey: "age") as? Int == 7)
      #expect(player.value(forKey: "team") is NSManagedObject)
      #expect(player.value(forKey: "URL") as? String == "a")
      player.setValue(nil, forKey: "Age")
      #expect(player.value(forKey: "age") == nil)
      player.setValuesForKeys(["Name": "Bea"])
      player.setValue("b", forKeyPath: "team.Name")
      #expect(player.value(forKeyPath: "team.name") as? String == "b")
      try player.setValidatedValue(8, forKey: "Age")
      #expect(player.changedValues()["name"] as? String == "Bea")
      #expect(player.value(forKey: "age") as? Int == 8)
    }
  }

  @Test func `A key reads the property whose getter name is that key with a prefix`() throws {
    try withPlayer { _, player in
      player.setValue(true, forKey: "isActive")
      player.setValue("first", forKey: "getRank")
      player.setValue("deep", forKey: "_hidden")
      #expect(player.value(forKey: "active") as? Bool == true)
      #expect(player.value(forKey: "rank") as? String == "first")
      #expect(player.value(forKey: "hidden") as? String == "deep")
      let active = try player.validatedValue(forKey: "active") as? Bool
      #expect(active == true)
    }
  }

  @Test(
    .only(
      [.sqlite, .memorySQLite, .inMemory, .binary], "XML does not distinguish upper and lower case")
  )
  func `A property with exactly the key's name takes precedence`() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.properties.append(
      SampleStack.attribute("Name", .stringAttributeType))
    try SampleStack.withContext(model: model) { context in
      let team = context.insert("Team")
      team.setValue("large", forKey: "Name")
      team.setValue("small", forKey: "name")
      #expect(team.value(forKey: "Name") as? String == "large")
      #expect(team.value(forKey: "name") as? String == "small")
    }
  }

  @Test func `An unknown key throws an error that suggests a similar key`() throws {
    try withPlayer { _, player in
      let error = #expect(throws: NSError.self) {
        try player.setValidatedValue("Ann", forKey: "Nmae")
      }
      #expect(error?.localizedDescription.contains("did you mean \"name\"?") == true)
      // The getter of `name` has no capital letter, so Apple's key-value coding does not find it by the
      // key `Name` either.
      #expect(throws: NSError.self) { try player.validatedValue(forKey: "Name") }
    }
  }

  @Test func `An unknown key stops the program with a message that suggests a similar key`()
    async throws
  {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let context = try SampleStack().context
      context.performAndWait { context.insert("Player").setValue("Ann", forKey: "nmae") }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("for the key \"nmae\". Did you mean \"name\"?"))
  }
}
