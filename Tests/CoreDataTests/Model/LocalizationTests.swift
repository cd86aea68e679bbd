import CoreData
import Testing

/// Apple's page for `NSManagedObjectModel.localizationDictionary` documents the keys.
@Suite("Messages of validation use the model's localization dictionary", .onEveryStore)
struct LocalizationTests {
  private func message(_ texts: [String: String]?, _ values: [String: Any?]) throws -> String {
    let model = SampleStack.makeModel()
    let player = try #require(model.entitiesByName["Player"])
    let name = try #require(player.attributesByName["name"])
    name.isOptional = false
    try #require(player.attributesByName["age"]).setValidationPredicates(
      [try NSPredicate(validating: "SELF < 100")], withValidationWarnings: ["too old"])
    model.localizationDictionary = texts
    let stack = try SampleStack(model: model)
    return try stack.context.performAndWait {
      stack.context.insert("Captain", values)
      return try #require(throws: NSError.self) { try stack.context.save() }.localizedDescription
    }
  }

  @Test("Property names come from the dictionary, with the nearest entity's first")
  func properties() throws {
    #expect(try message(nil, [:]) == "name is a required value.")
    #expect(try message(["Property/name": "Name"], [:]) == "Name is a required value.")
    #expect(
      try message(["Property/name": "Name", "Property/name/Entity/Player": "Spielername"], [:])
        == "Spielername is a required value.")
    #expect(
      try message(["Property/name": "Name", "Property/name/Entity/Team": "Mannschaft"], [:])
        == "Name is a required value.")
  }

  @Test("Messages of rules come from the dictionary")
  func messages() throws {
    #expect(try message(nil, ["name": "A", "age": 120]) == "too old")
    #expect(try message(["ErrorString/too old": "zu alt"], ["name": "A", "age": 120]) == "zu alt")
  }

  @Test("Entity names come from the dictionary")
  func entities() throws {
    let model = SampleStack.makeModel()
    model.localizationDictionary = ["Entity/Locker": "Spind", "Property/owner": "Besitzer"]
    let stack = try SampleStack(model: model)
    try stack.context.performAndWait {
      let locker = stack.context.insert("Locker")
      stack.context.insert("Player", ["locker": locker])
      try stack.context.save()
      stack.context.delete(locker)
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(
        error?.localizedDescription == "Spind cannot be deleted: Besitzer still has 1 object.")
    }
  }
}
