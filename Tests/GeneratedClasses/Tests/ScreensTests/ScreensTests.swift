import CoreData
import Testing

@testable import Screens

/// Source: Apple's pages of `NSManagedObject` and `NSManagedObjectContext`, whose classes are `nonisolated`, and of
/// `perform(schedule:_:)`, whose block is `@Sendable`.
@Suite("A program that is the main actor's works with contexts of other queues")
@MainActor
struct ScreensTests {
  @Test("objects made in the background are reported to a delegate of the main actor")
  func background() async throws {
    let container = Container(name: "Screens")
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let list = try NoteList(container: container)
    #expect(try await list.add(["b", "a", ""]) == 3)
    while list.titles.count < 3 { await Task.yield() }
    #expect(list.titles == ["a", "b", "untitled"])
    #expect(list.reports == 1)
    try list.rename("z")
    #expect(list.titles == ["b", "untitled", "z"])
    #expect(list.reports == 2)
    #expect(try await list.add("c") == 4)
    while list.titles.count < 4 { await Task.yield() }
    #expect(list.titles == ["b", "c", "untitled", "z"])
  }
}
