import CoreData
import ObjectModel
import Testing

/// A player whose age is a scalar, as a program for Apple's platforms writes one.
final class AgedPlayer: NSManagedObject {
  private(set) var askedKeys: [String] = []

  override func setNilValueForKey(_ key: String) {
    askedKeys.append(key)
    if key == "age" { setValue(0, forKey: key) } else { super.setNilValueForKey(key) }
  }
}

/// Sources: Apple's page of setNilValueForKey(_:); Core Data Utility Tutorial, "The Custom Managed Object Class",
/// whose class has a scalar of its own and sets 0.
@Suite("Nil is set where a scalar may be meant", .onEveryStore)
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

  @Test("a class says what a scalar gets in the place of nil, whichever way the key is set by")
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
      #expect(player.askedKeys == Array(repeating: "age", count: ways.count))
      try player.managedObjectContext?.save()
      #expect(player.value(forKey: "age") as? Int == 0)
    }
  }

  @Test("an attribute that nobody answers for has no value then")
  func inherited() throws {
    try withPlayer { player in
      for key in ["score", "isActive", "number"] {
        player.setValue(1, forKey: key)
        player.setValue(nil, forKey: key)
        #expect(player.value(forKey: key) == nil)
      }
      #expect(player.askedKeys == ["score", "isActive", "number"])
      // So it is in a class without a method of its own, and what throws sets what it is given.
      let other = try #require(player.managedObjectContext).insert("Captain", ["age": 3])
      other.setNilValueForKey("age")
      #expect(other.value(forKey: "age") == nil)
      player.setValue(3, forKey: "age")
      try player.setValidatedValue(nil, forKey: "age")
      #expect(player.value(forKey: "age") == nil && player.askedKeys.count == 3)
    }
  }

  @Test(
    "objects are set to nil without asking: texts, dates, relationships, and what the model says")
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
      #expect(player.askedKeys.isEmpty)
      #expect(player.value(forKey: "number") == nil && player.value(forKey: "born") == nil)
      player.setValue(nil, forKey: "joined")
      #expect(player.askedKeys == ["joined"])
    }
  }
}
