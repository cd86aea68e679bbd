import CoreData
import Testing

/// Source: in the model of CosmicMind's Graph each pair of entities has copies of one pair of
/// relationships.
@Suite("Copies of relationships")
struct CopiedRelationshipTests {
  /// Two pairs of entities whose relationships are copies of one "node" and one "parts".
  private func makeModel() -> NSManagedObjectModel {
    let entities = ["Box", "BoxPart", "Bag", "BagPart"].map { name in
      let entity = NSEntityDescription()
      entity.name = name
      return entity
    }
    let node = SampleStack.relationship("node", to: entities[0])
    let parts = SampleStack.relationship("parts", to: entities[1], toMany: true)
    node.inverseRelationship = parts
    parts.inverseRelationship = node
    for pair in [0, 2] {
      node.destinationEntity = entities[pair]
      parts.destinationEntity = entities[pair + 1]
      entities[pair].properties = [parts.copy()].compactMap { $0 as? NSPropertyDescription }
      entities[pair + 1].properties = [node.copy()].compactMap { $0 as? NSPropertyDescription }
    }
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  @Test("Copies in a pair of entities are inverses of each other after the originals are gone")
  func inverses() throws {
    let model = makeModel()
    for (name, part) in [("Box", "BoxPart"), ("Bag", "BagPart")] {
      let parts = try #require(model.entitiesByName[name]?.relationshipsByName["parts"])
      let node = try #require(model.entitiesByName[part]?.relationshipsByName["node"])
      #expect(parts.inverseRelationship === node && node.inverseRelationship === parts)
    }
    let copy = try #require(model.copy() as? NSManagedObjectModel)
    let parts = try #require(copy.entitiesByName["Bag"]?.relationshipsByName["parts"])
    #expect(
      parts.inverseRelationship === copy.entitiesByName["BagPart"]?.relationshipsByName["node"])
  }

  @Test("Objects maintain copied relationships on both sides")
  func objects() throws {
    try SampleStack.withContext(model: makeModel()) { context in
      let (bag, part) = (context.insert("Bag"), context.insert("BagPart"))
      part.setValue(bag, forKey: "node")
      #expect(bag.value(forKey: "parts") as? Set<NSManagedObject> == [part])
      bag.setValue(Set<NSManagedObject>(), forKey: "parts")
      #expect(part.value(forKey: "node") == nil)
    }
  }

  @Test("A relationship that belongs to no entity returns the inverse that was set")
  func unowned() {
    let (one, other) = (NSRelationshipDescription(), NSRelationshipDescription())
    one.inverseRelationship = other
    #expect(one.inverseRelationship === other)
    one.inverseRelationship = nil
    #expect(one.inverseRelationship == nil)
  }
}
