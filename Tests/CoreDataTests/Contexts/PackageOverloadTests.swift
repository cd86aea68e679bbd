import CoreData
import Testing

// Packages written before Apple's Core Data returned results of blocks declare these functions themselves, and a program
// that imports such a package calls them. What this file declares stands for the package's.
extension NSManagedObjectContext {
  // As such packages wrote it: by the form without a result, which this is not.
  fileprivate func performAndWait<T>(_ block: () throws -> T) throws -> T {
    name = "of the package"
    var result: Result<T, any Error>?
    performAndWait { result = Result { try block() } }
    return try #require(result).get()
  }
}

extension NSPersistentStoreCoordinator {
  fileprivate func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    name = "of the package"
    return try block()
  }
}

@Suite(.onEveryStore)
struct PackageOverloadTests {
  @Test func `A package's own performAndWait is called where there is one`() throws {
    try SampleStack.withContext { context in
      let count = try context.performAndWait { try context.all("Player").count }
      #expect(count == 0 && context.name == "of the package")
      let number = context.persistentStoreCoordinator?.performAndWait { 5 } ?? 0
      #expect(number + 1 == 6)
      #expect(context.persistentStoreCoordinator?.name == "of the package")
    }
  }

  private final class Counting: NSManagedObjectContext, @unchecked Sendable {
    var waits = 0
    override func performAndWait(_ block: () -> Void) {
      waits += 1
      super.performAndWait(block)
    }
  }

  @Test func `A block of one expression gives its value, also to a constant without a type`() throws
  {
    let context = Counting(concurrencyType: .privateQueueConcurrencyType)
    let number = try context.performAndWait { 5 }
    #expect(number + 1 == 6 && context.waits == 1)
    func run(_ perform: (() -> Void) -> Void) -> Int {
      var number = 0
      perform { number = 7 }
      return number
    }
    #expect(run(context.performAndWait) == 7 && context.waits == 2)
  }
}
