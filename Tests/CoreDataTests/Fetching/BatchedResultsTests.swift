import Foundation
import Testing

@testable import CoreData

@Suite("Results in batches", .onEveryStore)
struct BatchedResultsTests {
  /// Returns a stack with 50 players, every seventh of them a captain.
  private func stackOfPlayers() throws -> SampleStack {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      for number in 0..<50 {
        stack.context.insert(
          number % 7 == 0 ? "Captain" : "Player",
          ["name": "P\(number)", "number": number, "age": number % 5])
      }
      try stack.context.save()
    }
    return stack
  }

  private func request(_ size: Int = 20) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.sortDescriptors = [
      NSSortDescriptor(key: "age", ascending: false),
      NSSortDescriptor(key: "number", ascending: true),
    ]
    request.fetchBatchSize = size
    return request
  }

  @Test(
    "cannot be IDs, dictionaries or counts, whatever the context has changed",
    arguments: [
      NSFetchRequestResultType.managedObjectIDResultType, .dictionaryResultType, .countResultType,
    ])
  func otherResultTypes(_ type: NSFetchRequestResultType) throws {
    let stack = try stackOfPlayers()
    stack.reading { context in
      let request = request()
      request.resultType = type
      #expect(throws: (any Error).self) { try context.fetchInBatches(request) }
      context.insert("Player", ["name": "new"])
      #expect(throws: (any Error).self) { try context.fetchInBatches(request) }
    }
  }

  @Test("are the objects of a fetch, in the same order")
  func agreement() throws {
    let stack = try stackOfPlayers()
    try stack.reading { context in
      for (format, limit, offset) in [
        (nil, 0, 0), ("number > 11", 0, 0), (nil, 7, 3), ("age > 9", 0, 0),
      ] {
        let request = request()
        request.predicate = try format.map { try NSPredicate(validating: $0) }
        request.fetchLimit = limit
        request.fetchOffset = offset
        let results = try context.fetchInBatches(request)
        let fetched = try context.fetch(request)
        #expect(results.count == fetched.count)
        #expect(results.elementsEqual(fetched, by: ===))
        #expect(results.objectIDs == fetched.map(\.objectID))
        #expect(results.map(\.entity.name) == fetched.map(\.entity.name))
        #expect(Array(results.reversed()) == fetched.reversed())
        #expect(results.last === fetched.last)
      }
    }
  }

  @Test(
    "make objects only when one is accessed, and then those of its batch",
    .only([.sqlite], "other stores need no batches"))
  func laziness() throws {
    let stack = try stackOfPlayers()
    try stack.reading { context in
      let results = try context.fetchInBatches(request(10))
      #expect(results.count == 50)
      #expect(context.registeredObjects.isEmpty)
      let store = try #require(stack.coordinator.persistentStores.first)
      let before = store.queryCount
      let object = results[34]
      #expect(context.registeredObjects.count == 10)
      #expect(object.isFault)
      #expect(store.queryCount == before)
      let names: [String?] = (30..<40).map { results[$0]["name"] }
      #expect(!names.contains(nil))
      // One query for the rows of the batch.
      #expect(store.queryCount == before + 1)
      #expect(results[3]["number"] == 19)
      #expect(results[34] === object)
    }
  }

  @Test("include unsaved changes, like a fetch")
  func unsaved() throws {
    let stack = try stackOfPlayers()
    try stack.reading { context in
      context.insert("Player", ["number": 100, "age": 4])
      let changed = try #require(try context.all("Player", "number == 49").first)
      changed["age"] = -1
      let results = try context.fetchInBatches(request())
      #expect(results.count == 51)
      #expect(results.last === changed)
      #expect(results.contains { $0["number"] == 100 })
      let request = request()
      request.includesPendingChanges = false
      #expect(try context.fetchInBatches(request).count == 50)
    }
  }

  @Test("have a fault without a row for an object that was deleted after the fetch")
  func deletedRow() throws {
    let stack = try stackOfPlayers()
    try stack.reading { context in
      let results = try context.fetchInBatches(request())
      try stack.reading { other in
        other.delete(try #require(try other.all("Player", "number == 4").first))
        try other.save()
      }
      // The deleted player is the first result, by age and number.
      #expect(throws: (any Error).self) { try context.existingObject(with: results[0].objectID) }
      #expect(results[1]["number"] == 9)
    }
  }

  @Test("throw if the objects do not have the requested class")
  func wrongClass() throws {
    final class Stranger: NSManagedObject {}
    let stack = try stackOfPlayers()
    stack.reading { context in
      let request = NSFetchRequest<Stranger>(entityName: "Player")
      #expect(throws: (any Error).self) { _ = try context.fetchInBatches(request) }
    }
  }
}
