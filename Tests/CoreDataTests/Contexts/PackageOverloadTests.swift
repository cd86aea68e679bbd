import CoreData
import Testing

// Packages written before Apple's Core Data returned results of blocks declare these functions themselves, and a program
// that imports such a package calls them. What this file declares stands for the package's.
extension NSManagedObjectContext {
  fileprivate func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    name = "of the package"
    return try block()
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
}
