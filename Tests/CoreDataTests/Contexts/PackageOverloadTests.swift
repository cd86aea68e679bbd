import CoreData
import Testing

// Apple's Core Data has not always had a `performAndWait` that returns the result of its block. Older packages declare
// one themselves, and a program that imports such a package calls it. The declarations in this file imitate such a
// package.
extension NSManagedObjectContext {
  // Such packages call the overload without a result, so this must not call itself.
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
  @Test func `A package's own performAndWait takes precedence`() throws {
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

  @Test func `A block of one expression returns its value, even to a constant of inferred type`()
    throws
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
