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
}
