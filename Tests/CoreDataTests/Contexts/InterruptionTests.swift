import CoreData
import Foundation
import Testing

/// `performInterruptibly` is specific to this library: the explorer uses it to end slow requests.
@Suite("Fetches that end when their task is cancelled", .onEveryStore)
struct InterruptionTests {
  private static func request(_ format: String) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.predicate = NSPredicate(format: format)
    return request
  }

  @Test(
    "performInterruptibly ends fetches and counts of a cancelled task, perform finishes them",
    .only([.sqlite], "other stores run no statements to interrupt"))
  func ending() async throws {
    let stack = try SampleStack()
    let context = stack.context
    try await context.perform {
      for number in 0..<2_000 {
        _ = context.insert("Player", ["name": "\(number)", "age": number % 90])
      }
      try context.save()
    }
    for fetches in [true, false] {
      // Only the interruption ends this loop.
      let endless = Task {
        try await context.performInterruptibly {
          while true {
            let request = Self.request("name CONTAINS[cd] 'x'")
            _ = fetches ? try context.fetch(request).count : try context.count(for: request)
          }
        }
      }
      endless.cancel()
      let error = await #expect(throws: (any Error).self) { try await endless.value }
      #expect((error as? CocoaError)?.code == .userCancelled)
    }
    let plain = Task {
      try await context.perform { try context.count(for: Self.request("name CONTAINS[cd] 'x'")) }
    }
    plain.cancel()
    #expect(try await plain.value == 0)
    // The context is still usable.
    let count = try await context.performInterruptibly {
      try context.count(for: Self.request("TRUEPREDICATE"))
    }
    #expect(count == 2_000)
  }

  @Test(
    "performInterruptibly ends the evaluation of a block at the next object",
    .only(
      [.inMemory, .binary, .xml, .ownAtomic, .keyValue], "other stores do not evaluate blocks"),
    arguments: [false, true])
  func endingEvaluation(counts: Bool) async throws {
    let stack = try SampleStack()
    let context = stack.context
    try await context.perform {
      for number in 0..<20 { _ = context.insert("Player", ["age": number]) }
      try context.save()
    }
    let task = Unchecked<Task<Int, any Error>?>(nil)
    let isTaskKnown = DispatchSemaphore(value: 0)
    let evaluations = Unchecked(0)
    let evaluating = Task {
      try await context.performInterruptibly {
        isTaskKnown.wait()
        let request = Self.request("TRUEPREDICATE")
        request.predicate = NSPredicate { _, _ in
          task.value?.cancel()
          evaluations.value += 1
          return true
        }
        return counts ? try context.count(for: request) : try context.fetch(request).count
      }
    }
    task.value = evaluating
    isTaskKnown.signal()
    let error = await #expect(throws: (any Error).self) { try await evaluating.value }
    #expect((error as? CocoaError)?.code == .userCancelled)
    #expect(evaluations.value == 1)
    task.value = nil
  }
}
