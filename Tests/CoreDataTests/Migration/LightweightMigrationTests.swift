import CoreData
import Foundation
import Testing

/// Sources: Apple's article "Migrating your data model automatically" (which changes can be
/// inferred), and Apple's pages for `NSMigratePersistentStoresAutomaticallyOption` and
/// `NSInferMappingModelAutomaticallyOption`.
@Suite("Opening a store of an old model with a new one")
struct LightweightMigrationTests {
  @Test("Attributes are added with their defaults, removed and renamed")
  func attributes() throws {
    let store = try MigratedStore()
    try store.with("Person: name string; age i16; gone double") { context in
      context.insert("Person", ["name": "Ann", "age": 40, "gone": 1.5])
      context.insert("Person", ["name": "Bob"])
    }
    let model =
      "Person: fullName string! was name = unnamed; age i64; rank i32! = 7; note string; mood string = calm"
    try store.with(model) { context in
      let people = try context.all("Person", sort: ["fullName"])
      #expect(people.map { $0["fullName"] } == ["Ann", "Bob"])
      #expect(people.map { $0.value(forKey: "age") as? Int64 } == [40, nil])
      #expect(people.map { $0["rank"] } == [7, 7] as [Int32?])
      #expect(people.map { $0["note"] } == [nil, nil] as [String?])
      #expect(people.map { $0["mood"] } == ["calm", "calm"])
      people[0].setValue(3, forKey: "rank")
    }
    // The store opens with the new model without migration, and no longer with the old one.
    try store.with(model, migrates: false) { context in
      let count = try context.all("Person", "rank == 3").count
      #expect(count == 1)
    }
    #expect(throws: NSError.self) {
      try store.with("Person: name string; age i16; gone double", migrates: false) { _ in }
    }
  }

  @Test("An attribute that becomes required gets its default where it had no value")
  func optionality() throws {
    let store = try MigratedStore()
    try store.with("Person: name string; age i16") { context in
      context.insert("Person", ["name": "Ann"])
      context.insert("Person", ["age": 3])
    }
    try store.with("Person: name string! = unnamed; age i16! = 9") { context in
      let people = try context.all("Person", sort: ["age"])
      #expect(people.map { $0["name"] } == ["unnamed", "Ann"])
      #expect(people.map { $0["age"] } == [3, 9] as [Int16?])
    }
  }

  @Test("A change that cannot be inferred throws an error that says why, and keeps the store")
  func obstacles() throws {
    let store = try MigratedStore()
    try store.with("P: name string") { $0.insert("P", ["name": "Ann"]) }
    let missing = #expect(throws: NSError.self) {
      try store.with("P: name string; age i16!") { _ in }
    }
    #expect(missing?.code == NSInferredMappingModelError)
    #expect(missing?.localizedDescription.contains("P.age") == true)
    let type = #expect(throws: NSError.self) { try store.with("P: name date") { _ in } }
    #expect(type?.code == NSInferredMappingModelError)
    let unwanted = #expect(throws: NSError.self) {
      try store.with("P: name string; age i16", migrates: false) { _ in }
    }
    #expect(unwanted?.code == NSPersistentStoreIncompatibleVersionHashError)
    try store.with("P: name string", migrates: false) { context in
      let count = try context.all("P").count
      #expect(count == 1)
    }
  }

  @Test("The history survives, with the new names of its changed properties")
  func history() throws {
    let store = try MigratedStore(history: true)
    var token: NSPersistentHistoryToken?
    try store.with("P: name string kept; age i16; zeal i16 kept\nQ: x i16") { context in
      let ann = context.insert("P", ["name": "Ann", "age": 1, "zeal": 5])
      context.insert("Q", ["x": 1])
      try context.save()
      token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(
        fromStores: nil)
      ann.setValue(2, forKey: "zeal")
      try context.save()
      context.delete(ann)
      try context.save()
    }
    try store.with("A: y i16\nP: title string was name kept; more i16; zeal i16 kept") { context in
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
      let result = try context.execute(request) as? NSPersistentHistoryResult
      let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
      let changes = transactions.flatMap { $0.changes ?? [] }
      #expect(changes.map(\.changedObjectID.entity.name) == ["P", "P"])
      #expect(changes[0].updatedProperties?.map(\.name) == ["zeal"])
      #expect(changes[1].tombstone?["title"] as? String == "Ann")
      #expect(changes[1].tombstone?["zeal"] as? Int == 2)
    }
  }

  @Test("Two attributes can swap their names")
  func swappedAttributes() throws {
    let store = try MigratedStore()
    try store.with("A: x i16; y i16") { $0.insert("A", ["x": 1, "y": 2]) }
    try store.with("A: y i16 was x; x i16 was y; z i16") { context in
      let a = try #require(try context.all("A").first)
      #expect(a["y"] == 1 as Int16? && a["x"] == 2 as Int16?)
    }
  }

  @Test("A context that opened the store with the old model can no longer save")
  func olderWriter() throws {
    let store = try MigratedStore()
    let old = ModelText.model("P: n i16")
    let (opened, writer) = try TestedStore.sqlite.open(old, at: store.url)
    try withExtendedLifetime(opened) {
      try writer.performAndWait {
        writer.insert("P", ["n": 1])
        try writer.save()
      }
      // The entity number of P changes because of the new entity.
      try store.with("A: n i16\nP: n i16") { $0.insert("A", ["n": 5]) }
      writer.performAndWait {
        writer.insert("P", ["n": 2])
        let error = #expect(throws: NSError.self) { try writer.save() }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
      }
    }
    try store.with("A: n i16\nP: n i16", migrates: false) { context in
      let counts = [try context.all("A").count, try context.all("P").count]
      #expect(counts == [1, 1])
    }
  }
}
