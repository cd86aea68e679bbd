import CoreData
import ObjectModel
import Testing

/// A player whose class treats the age as a scalar, as a program for Apple's platforms does.
final class AgedPlayer: NSManagedObject {
  private(set) var nilKeys: [String] = []

  override func setNilValueForKey(_ key: String) {
    nilKeys.append(key)
    if key == "age" { setValue(0, forKey: key) } else { super.setNilValueForKey(key) }
  }
}

/// Sources: Apple's page for setNilValueForKey(_:); Core Data Utility Tutorial, "The Custom Managed
/// Object Class", whose class has a scalar and sets 0.
@Suite("Setting nil for a scalar", .onEveryStore)
struct NilValueTests {
  private func withPlayer(
    _ change: (NSEntityDescription) -> Void = { _ in }, _ body: (AgedPlayer) throws -> Void
  ) throws {
    let model = SampleStack.makeModel()
    let entity = try #require(model.entitiesByName["Player"])
    entity.managedObjectClassName = NSStringFromClass(AgedPlayer.self)
    change(entity)
    try SampleStack.withContext(model: model) { context in
      try body(try #require(context.insert("Player") as? AgedPlayer))
    }
  }

  @Test("setNilValueForKey replaces nil for a scalar, however the key is set")
  func overriding() throws {
    try withPlayer { player in
      let ways: [() -> Void] = [
        { player.setValue(nil, forKey: "age") },
        { player.setValue(nil, forKeyPath: "age") },
        { player.setValuesForKeys(["age": NSNull()]) },
        { NSSet(object: player).setValue(nil, forKey: "age") },
      ]
      for (number, way) in ways.enumerated() {
        player.setValue(7, forKey: "age")
        way()
        #expect(player.value(forKey: "age") as? Int == 0, "way \(number)")
      }
      #expect(player.nilKeys == Array(repeating: "age", count: ways.count))
      try player.managedObjectContext?.save()
      #expect(player.value(forKey: "age") as? Int == 0)
    }
  }

  @Test("Without an override of setNilValueForKey, the attribute has no value")
  func inherited() throws {
    try withPlayer { player in
      for key in ["score", "isActive", "number"] {
        player.setValue(1, forKey: key)
        player.setValue(nil, forKey: key)
        #expect(player.value(forKey: key) == nil)
      }
      #expect(player.nilKeys == ["score", "isActive", "number"])
      // The same is true of a class without an override, and a throwing setter sets nil as well.
      let other = try #require(player.managedObjectContext).insert("Captain", ["age": 3])
      other.setNilValueForKey("age")
      #expect(other.value(forKey: "age") == nil)
      player.setValue(3, forKey: "age")
      try player.setValidatedValue(nil, forKey: "age")
      #expect(player.value(forKey: "age") == nil && player.nilKeys.count == 3)
    }
  }

  @Test(
    "setNilValueForKey is not called for texts, dates, relationships and non-scalar numbers")
  func objects() throws {
    func mark(_ entity: NSEntityDescription) {
      entity.attributesByName["number"]?.usesScalarValueType = false
      let born = SampleStack.attribute("born", .dateAttributeType)
      let joined = SampleStack.attribute("joined", .dateAttributeType)
      joined.usesScalarValueType = true
      entity.properties += [born, joined]
    }
    try withPlayer(mark) { player in
      player.setValue(5, forKey: "number")
      player.setValue(Date(), forKey: "born")
      for key in ["name", "team", "tags", "number", "born"] {
        player.setValue(nil, forKey: key)
      }
      #expect(player.nilKeys.isEmpty)
      #expect(player.value(forKey: "number") == nil && player.value(forKey: "born") == nil)
      player.setValue(nil, forKey: "joined")
      #expect(player.nilKeys == ["joined"])
    }
  }
}
