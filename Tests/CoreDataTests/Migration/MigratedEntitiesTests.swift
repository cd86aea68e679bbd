import CoreData
import Foundation
import Testing

/// Sources: see ``LightweightMigrationTests``.
@Suite("Entities of a store of an old model")
struct MigratedEntitiesTests {
  @Test("Entities are added, removed and renamed, and other entities get new numbers")
  func entities() throws {
    let store = try MigratedStore()
    try store.with("B: x i16; c -> C.bs\nC: y i16; bs ->> B.c\nGone: z i16") { context in
      let c = context.insert("C", ["y": 1])
      for x in 1...3 { context.insert("B", ["x": x, "c": c]) }
      context.insert("Gone", ["z": 1])
    }
    try store.with("A: w i16\nBee was B: x i16; c -> C.bs\nC: y i16; bs ->> Bee.c") { context in
      let c = try #require(try context.all("C").first)
      #expect((c.value(forKey: "bs") as? NSSet)?.count == 3)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Bee")
      request.predicate = NSPredicate(format: "c == %@ AND x > 1", c)
      let found = try context.fetch(request)
      #expect(found.count == 2)
      context.insert("A", ["w": 1])
      // New keys follow those of the old rows.
      let new = context.insert("Bee", ["x": 9])
      try context.save()
      #expect(new.objectID.uriRepresentation().lastPathComponent == "p4")
    }
  }

  @Test("Entities get a new parent, leave their parent, and move attributes up to it")
  func hierarchies() throws {
    let store = try MigratedStore()
    try store.with(
      """
      Base: kind string; link -> Base.linked; linked ->> Base.link
      One < Base: name string; size i16
      Two < Base: name string
      Three < Base: own string
      """
    ) { context in
      let one = context.insert("One", ["kind": "a", "name": "Ann", "size": 4])
      let two = context.insert("Two", ["kind": "b", "name": "Bob", "link": one])
      context.insert("Three", ["kind": "c", "own": "x", "link": two])
    }
    // `name` moves up, `Three` is removed, and `One` and `Two` get a parent in between.
    try store.with(
      """
      Base: kind string; link -> Base.linked; linked ->> Base.link
      Named < Base: name string
      One < Named: size i16
      Two < Named: extra i16! = 3
      """
    ) { context in
      #expect(try context.all("Named", "name BEGINSWITH 'A' OR name == 'Bob'").count == 2)
      let two = try #require(try context.all("Two").first)
      #expect(two["extra"] == 3 as Int16?)
      let one = two.value(forKey: "link") as? NSManagedObject
      #expect(one?.entity.name == "One")
      #expect(one?.value(forKey: "size") as? Int == 4)
      #expect((two.value(forKey: "linked") as? NSSet)?.count == 0)
      let count = try context.all("Base").count
      #expect(count == 2)
    }
    // `One` leaves the hierarchy and keeps the properties it inherited.
    try store.with(
      """
      Base: kind string
      One: kind string; name string; size i16
      Two < Base: name string; extra i16
      """
    ) { context in
      let one = try #require(try context.all("One").first)
      #expect(one["kind"] == "a" && one["name"] == "Ann")
      #expect(one["size"] == 4 as Int16?)
      #expect(try context.all("Base").map { $0["kind"] as String? } == ["b"])
    }
  }

  @Test("Entities can swap names, and an added one can reuse the name of a renamed one")
  func swappedNames() throws {
    let store = try MigratedStore()
    try store.with("A: x i16\nB: y i16\nNote: text string") { context in
      context.insert("A", ["x": 1])
      context.insert("B", ["y": 2])
      context.insert("Note", ["text": "old"])
    }
    try store.with(
      "B was A: x i16\nA was B: y i16\nRemark was Note: text string\nNote: z i16"
    ) { context in
      let b = try context.all("B").map { $0["x"] as Int16? }
      let a = try context.all("A").map { $0["y"] as Int16? }
      let remarks = try context.all("Remark").map { $0["text"] as String? }
      let notes = try context.all("Note").count
      #expect(b == [1] && a == [2] && remarks == ["old"] && notes == 0)
    }
  }

  @Test("A migration to a configuration without an entity does not delete the entity's rows")
  func configurations() throws {
    let store = try MigratedStore()
    let text = "A: x i16\nB: y i16"
    try store.with(text) { context in
      context.insert("A", ["x": 1])
      context.insert("B", ["y": 1])
    }
    let model = ModelText.model(text)
    model.setEntities([try #require(model.entitiesByName["A"])], forConfigurationName: "Local")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let error = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        type: .sqlite, configuration: "Local", at: store.url, options: MigratedStore.migrating)
    }
    #expect(error?.localizedDescription.contains("1 row of B") == true)
    try store.with(text, migrates: false) { context in
      let count = try context.all("B").count
      #expect(count == 1)
    }
  }
}
