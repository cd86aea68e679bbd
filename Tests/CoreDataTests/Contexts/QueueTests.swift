import CoreData
import Synchronization
import Testing

@Suite("Queues of contexts", .onEveryStore)
struct QueueTests {
  @Test("performAndWait nests in any order: A, B, A, main, A")
  func nesting() async throws {
    let stack = try SampleStack()
    let (a, b) = (stack.context, stack.newContext())
    let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    main.persistentStoreCoordinator = stack.coordinator
    let depth = try await a.perform {
      try b.performAndWait {
        try a.performAndWait {
          try main.performAndWait {
            try a.performAndWait {
              a.insert("Player", ["name": "Ann"])
              try a.save()
              return try main.all("Player").count + b.all("Player").count
            }
          }
        }
      }
    }
    #expect(depth == 2)
  }

  @Test(
    "blocks run in order; .immediate runs without waiting on the queue, .enqueued after pending blocks"
  )
  func scheduling() async throws {
    let stack = try SampleStack()
    let context = stack.context
    let order = Mutex<[Int]>([])
    context.performAndWait {
      context.perform { order.withLock { $0.append(2) } }
      order.withLock { $0.append(1) }
    }
    await context.perform(schedule: .enqueued) { order.withLock { $0.append(3) } }
    await #expect(throws: CocoaError.self) {
      try await context.perform { () -> Int in throw CocoaError(.fileNoSuchFile) }
    }
    let value = await context.perform(schedule: .immediate) { 7 }
    #expect(value == 7 && order.withLock { $0 } == [1, 2, 3])
  }

  @Test("perform processes pending changes after its block, performAndWait does not")
  func events() async throws {
    let stack = try SampleStack()
    let context = stack.context
    let log = NotificationLog([context], names: ["context"])
    await context.perform(schedule: .enqueued) {
      context.insert("Player")
      context.insert("Player")
    }
    #expect(log.lines == ["context changed inserted 2"])
    context.performAndWait {
      _ = context.performAndWait { context.insert("Player") }
      #expect(log.lines == [])
      context.processPendingChanges()
      #expect(log.lines == ["context changed inserted 1"])
    }
  }

  private final class Counting: NSManagedObjectContext, @unchecked Sendable {
    var saves = 0
    override func save() throws {
      saves += 1
      try super.save()
    }
  }

  @Test("a block that throws nothing needs no try; a subclass may override save")
  func sourceForms() async throws {
    let context = Counting(.privateQueue)
    context.persistentStoreCoordinator = try SampleStack().coordinator
    let count = await context.perform { context.insertedObjects.count }
    await context.perform { _ = context.insert("Player") }
    #expect(count == 0)
    try await context.perform { try context.save() }
    #expect(context.saves == 1)
  }

  @Test("many tasks can use parents, children and grandchildren concurrently")
  func manyTasks() async throws {
    let stack = try SampleStack()
    let root = stack.context
    let middle = ChildContextTests.child(of: root)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<6 {
        group.addTask {
          let child = ChildContextTests.child(of: task % 2 == 0 ? middle : root)
          for round in 0..<8 {
            try await child.perform {
              child.insert("Player", ["number": task * 100 + round])
              try child.save()
              _ = try child.all("Player", sort: ["number"])
            }
            if round % 4 == 3 {
              try await middle.perform { try middle.save() }
              try await root.perform { try root.save() }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try await middle.perform { try middle.save() }
    try await root.perform { try root.save() }
    let fresh = stack.newContext()
    let numbers = try await fresh.perform {
      try fresh.all("Player", sort: ["number"]).compactMap { $0.value(forKey: "number") as? Int }
    }
    let expected = (0..<48).map { $0 / 8 * 100 + $0 % 8 }
    #expect(numbers == expected)
  }

  @Test("main-queue contexts can be made on other threads while the main queue is in use")
  func makingMainContexts() async throws {
    let stack = try SampleStack()
    let coordinator = stack.coordinator
    let making = Task.detached {
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for _ in 0..<400 {
          let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
          context.persistentStoreCoordinator = coordinator
        }
      }
    }
    let isInOrder = await MainActor.run {
      let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      return (0..<4_000).allSatisfy { _ in context.registeredObjects.isEmpty }
    }
    await making.value
    #expect(isInOrder)
  }
}
