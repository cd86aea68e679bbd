import CoreData
import Testing

@testable import Screens

/// Sources: Apple's pages for `NSManagedObject` and `NSManagedObjectContext`, which are
/// `nonisolated`, and for `perform(schedule:_:)`, which takes a `@Sendable` block.
@Suite("A program with default isolation to the main actor can use contexts with other queues")
@MainActor
struct ScreensTests {
  @Test("Objects made in the background are reported to a delegate on the main actor")
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
