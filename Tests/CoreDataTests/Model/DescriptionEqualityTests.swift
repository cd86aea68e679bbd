import CoreData
import Testing

/// Source: JSQCoreDataKit's tests, which expect that the model of an entity in use equals a second
/// model read from the same file.
@Suite("Equality of models and descriptions")
struct DescriptionEqualityTests {
  @Test("Models with the same contents are equal, and so are their entities and properties")
  func equal() throws {
    let (one, other) = (SampleStack.makeModel(), SampleStack.makeModel())
    #expect(one == other && one.hash == other.hash)
    for (name, entity) in one.entitiesByName {
      let twin = try #require(other.entitiesByName[name])
      #expect(entity !== twin && entity == twin && entity.hash == twin.hash)
      for (key, property) in entity.propertiesByName {
        let own = try #require(twin.propertiesByName[key])
        #expect(property == own && property.hash == own.hash)
      }
    }
    #expect(one.entitiesByName["Player"] != other.entitiesByName["Team"])
    #expect(Set(one.entities).union(other.entities).count == one.entities.count)
    // A model in use is equal to a model that is not in use.
    let stack = try SampleStack(model: one)
    #expect(stack.coordinator.managedObjectModel == other)
    #expect(one.isEqual("a text") == false && one.isEqual(nil) == false)
  }

  @Test("Any difference makes models unequal, even if it does not affect stores")
  func different() throws {
    let model = SampleStack.makeModel()
    func differs(_ change: (NSManagedObjectModel) throws -> Void) throws -> Bool {
      let other = SampleStack.makeModel()
      try change(other)
      return model != other
    }
    func age(_ model: NSManagedObjectModel) throws -> NSAttributeDescription {
      try #require(model.entitiesByName["Player"]?.attributesByName["age"])
    }
    #expect(try !differs { _ in })
    #expect(try differs { try age($0).defaultValue = 7 })
    #expect(try differs { try age($0).isOptional.toggle() })
    #expect(try differs { try age($0).isTransient = true })
    #expect(try differs { try age($0).attributeType = .doubleAttributeType })
    #expect(try differs { try age($0).userInfo = ["a": "b"] })
    #expect(try differs { $0.entitiesByName["Team"]?.managedObjectClassName = "Club" })
    #expect(
      try differs {
        $0.entitiesByName["Team"]?.relationshipsByName["players"]?.deleteRule = .denyDeleteRule
      })
    #expect(try differs { $0.setEntities([$0.entities[0]], forConfigurationName: "Half") })
    #expect(
      try differs {
        $0.setFetchRequestTemplate(NSFetchRequest(entityName: "Team"), forName: "teams")
      })
    #expect(try differs { $0.entities.removeAll { $0.name == "Player" } })
  }
}
