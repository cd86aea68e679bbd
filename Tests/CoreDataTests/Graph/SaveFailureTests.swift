import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Changes its own number in `willSave` until a limit of calls is reached.
final class Restless: NSManagedObject {
  var rounds = 0
  var limit = 3

  override func willSave() {
    super.willSave()
    rounds += 1
    if rounds < limit { setValue(rounds, forKey: "number") }
  }
}

@Suite("Saves that fail")
struct SaveFailureTests {
  private static let refusal =
    "CREATE TRIGGER refuse BEFORE UPDATE ON ZPLAYER BEGIN SELECT RAISE(ABORT, 'no'); END"

  private func execute(_ sql: String, on url: URL) throws {
    let connection = try SQLiteConnection(path: url.path, mode: .readWrite, busyTimeout: 10)
    try connection.execute(sql)
  }

  @Test("a save that fails halfway leaves flags, IDs and values unchanged")
  func middle() throws {
    let folder = try ThreadTests.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("a.sqlite")
    let stack = try SampleStack(url: url)
    let context = stack.context
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      let gone = context.insert("Team", ["name": "Gone"])
      try context.save()
      try execute(Self.refusal, on: url)
      ann.setValue("Bea", forKey: "name")
      let bob = context.insert("Player", ["name": "Bob"])
      context.delete(gone)
      let id = bob.objectID
      for _ in 0..<2 {
        #expect(throws: NSError.self) { try context.save() }
        #expect(ann.isUpdated && bob.isInserted && gone.isDeleted)
        #expect(bob.objectID === id || bob.objectID == id)
        #expect(bob.objectID.isTemporaryID)
        #expect(ann["name"] == "Bea")
      }
      try execute("DROP TRIGGER refuse", on: url)
      try context.save()
      #expect(!context.hasChanges && !bob.objectID.isTemporaryID)
    }
    let fresh = try SampleStack(url: url)
    try fresh.context.performAndWait {
      let names = try fresh.context.all("Player", sort: ["name"]).map { $0["name"] ?? "" }
      #expect(names == ["Bea", "Bob"])
      #expect(try fresh.context.all("Team") == [])
    }
  }

  @Test("when the second of two stores fails, the next save does not write to the first again")
  func secondStore() throws {
    let folder = try ThreadTests.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let urls = ["a", "b"].map { folder.appendingPathComponent("\($0).sqlite") }
    let model = SampleStack.makeModel()
    for url in urls {
      let stack = try SampleStack(url: url, model: model)
      try stack.context.performAndWait {
        stack.context.insert("Player", ["name": "old"])
        try stack.context.save()
      }
    }
    let stack = try SampleStack(url: urls[0], model: model)
    let second = try stack.coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: urls[1])
    let context = stack.context
    try context.performAndWait {
      try execute(Self.refusal, on: urls[1])
      let bob = context.insert("Player", ["name": "Bob"])
      let old = try #require(
        try context.all("Player", "name == \"old\"").first {
          $0.objectID.persistentStore === second
        })
      old.setValue("new", forKey: "name")
      let error = #expect(throws: NSError.self) { try context.save() }
      // Source: CoreDataErrors.h: 134040 comes with the stores and objects that failed.
      #expect(error?.code == NSPersistentStoreIncompleteSaveError)
      #expect(error?.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore] == [second])
      #expect(error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [old])
      #expect(error?.userInfo[NSUnderlyingErrorKey] is NSError)
      #expect(old.isUpdated)
      #expect(!bob.isInserted && !bob.objectID.isTemporaryID)
      try execute("DROP TRIGGER refuse", on: urls[1])
      try context.save()
      #expect(!context.hasChanges)
    }
    let fresh = try SampleStack(url: urls[0], model: model)
    try fresh.context.performAndWait {
      let names = try fresh.context.all("Player", sort: ["name"]).map { $0["name"] ?? "" }
      #expect(names == ["Bob", "old"])
    }
  }

  @Test("after the second of two stores failed, undo reverts one step of its objects at a time")
  func undoAfterSecondStore() throws {
    let folder = try ThreadTests.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let stack = try SampleStack(url: folder.appendingPathComponent("a.sqlite"))
    let url = folder.appendingPathComponent("b.sqlite")
    let second = try stack.coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = stack.context
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      let old = context.insert("Player", ["name": "old"])
      context.assign(old, to: second)
      try context.save()
      try execute(Self.refusal, on: url)
      let manager = UndoManager()
      manager.groupsByEvent = false
      context.undoManager = manager
      func step(_ name: String) {
        manager.beginUndoGrouping()
        ann.setValue(name, forKey: "name")
        old.setValue(name, forKey: "name")
        manager.endUndoGrouping()
      }
      step("new")
      #expect(throws: NSError.self) { try context.save() }
      #expect(!ann.isUpdated && old.isUpdated)
      step("newer")
      context.undo()
      #expect(ann["name"] == "new")
      #expect(old["name"] == "new")
      context.undo()
      #expect(ann["name"] == "Ann")
      #expect(old["name"] == "old")
    }
  }

  @Test(
    "willSave runs again after it changed an object, and fails the save if it never stops",
    .onEveryStore)
  func willSave() throws {
    ManagedObjectClasses.register([Restless.self])
    let model = SampleStack.makeModel()
    model.entitiesByName["Locker"]?.managedObjectClassName = "Restless"
    let stack = try SampleStack(model: model)
    try stack.context.performAndWait {
      let locker = try #require(stack.context.insert("Locker") as? Restless)
      try stack.context.save()
      #expect(locker.rounds == 3)
      #expect(locker["number"] == 2)
      locker.limit = .max
      locker.setValue(1, forKey: "number")
      #expect(throws: NSError.self) { try stack.context.save() }
      locker.limit = 0
      try stack.context.save()
    }
  }
}
