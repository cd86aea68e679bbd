import CoreData
import Foundation
import Testing

/// Work that is performed interruptibly is this library's own: the explorer ends with it what takes too long.
@Suite("Fetches that end with their task", .onEveryStore)
struct InterruptionTests {
  @Test(
    "fetches and counts of cancelled work end, those of `perform` come to their end",
    .only([.sqlite], "other stores read nothing that could be interrupted"))
  func ending() async throws {
    let stack = try SampleStack()
    let context = stack.context
    try await context.perform {
      for number in 0..<2_000 { _ = context.insert("Player", ["name": "\(number)", "age": number % 90]) }
      try context.save()
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.predicate = NSPredicate(format: "name CONTAINS[cd] 'x'")
    for fetches in [true, false] {
      // Ends by the interruption alone.
      let endless = Task {
        try await context.performInterruptibly {
          while true {
            _ = fetches ? try context.fetch(request).count : try context.count(for: request)
          }
        }
      }
      endless.cancel()
      let error = await #expect(throws: (any Error).self) { try await endless.value }
      #expect((error as? CocoaError)?.code == .userCancelled)
    }
    let plain = Task { try await context.perform { try context.count(for: request) } }
    plain.cancel()
    #expect(try await plain.value == 0)
    // The context goes on.
    request.predicate = nil
    let count = try await context.performInterruptibly { try context.count(for: request) }
    #expect(count == 2_000)
  }
}
