import CoreData
import Testing

@Suite("Batch requests and stores")
struct BatchStoreTests {
  private func requests() -> [NSPersistentStoreRequest] {
    let update = NSBatchUpdateRequest(entityName: "Player")
    update.propertiesToUpdate = ["name": "x"]
    return [
      NSBatchInsertRequest(entityName: "Player", objects: [["name": "x"]]), update,
      NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Player")),
    ]
  }

  // Source: Apple's page for NSBatchDeleteRequest: "available only when using a SQLite persistent
  // store".
  @Test(
    "Stores other than SQLite throw",
    .only(
      [.inMemory, .binary, .xml, .ownAtomic, .ownIncremental],
      "Apple: only SQLite has batch requests"))
  func otherStores() throws {
    try SampleStack.withContext { context in
      context.insert("Player", ["name": "a"])
      try context.save()
      for request in requests() {
        expectError(NSPersistentStoreUnsupportedRequestTypeError) { try context.execute(request) }
      }
      #expect(try context.column("Player", "name") == ["a"])
    }
  }

  @Test("A read-only store refuses batch requests")
  func readOnly() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    _ = try TestedStore.sqlite.open(SampleStack.makeModel(), at: url)
    let (_, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: url, options: [NSReadOnlyPersistentStoreOption: true])
    context.performAndWait {
      for request in requests() {
        expectError(NSFileWriteNoPermissionError) { try context.execute(request) }
      }
    }
  }

  // Source: public reports. A batch insertion goes to `affectedStores` or to the first store.
  @Test("An insertion goes to one store, updates and deletions go to all affected stores")
  func affectedStores() throws {
    let folder = try TemporaryFolder()
    let (first, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: folder.file("1.sqlite"))
    let second = try #require(context.persistentStoreCoordinator).addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("2.sqlite"))
    try context.performAndWait {
      let rows = NSBatchInsertRequest(
        entityName: "Player", objects: [["name": "a"], ["name": "b"]])
      let inFirst = try context.batchInsert(rows)
      #expect(inFirst.allSatisfy { $0.persistentStore === first })
      rows.affectedStores = [second]
      let inSecond = try context.batchInsert(rows)
      #expect(inSecond.allSatisfy { $0.persistentStore === second })
      #expect(try context.batchUpdate("Player", "name == 'a'", ["age": 1]).count == 2)
      let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
      fetch.affectedStores = [second]
      #expect(try context.batchDelete(NSBatchDeleteRequest(fetchRequest: fetch)) == inSecond)
      #expect(
        try context.batchDelete(NSBatchDeleteRequest(objectIDs: inFirst)).count == 2)
      let nothing = try context.all("Player")
      #expect(nothing.isEmpty)
    }
  }

  @Test("A deletion's limit and offset apply to the rows of all stores together")
  func limits() throws {
    let folder = try TemporaryFolder()
    let (_, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: folder.file("1.sqlite"))
    let second = try #require(context.persistentStoreCoordinator).addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("2.sqlite"))
    try context.performAndWait {
      let parts: [(Int, [NSPersistentStore]?)] = [(0, nil), (1, [second])]
      for (start, stores) in parts {
        let numbers = stride(from: start, to: 10, by: 2)
        let rows = NSBatchInsertRequest(
          entityName: "Player", objects: numbers.map { ["number": $0] })
        rows.affectedStores = stores
        #expect(try context.batchInsert(rows).count == 5)
      }
      let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
      fetch.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
      fetch.fetchLimit = 3
      fetch.fetchOffset = 2
      #expect(try context.batchDelete(NSBatchDeleteRequest(fetchRequest: fetch)).count == 3)
      let left = try context.all("Player", sort: ["number"])
        .map { $0.value(forKey: "number") as? Int }
      #expect(left == [0, 1, 2, 3, 4, 8, 9])
    }
  }
}
