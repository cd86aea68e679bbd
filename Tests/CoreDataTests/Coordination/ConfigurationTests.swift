import Foundation
import Testing

@testable import CoreData

/// A configuration may contain an entity without its subentities. The tests of CoreDataPlus
/// (`test_MigrationFromV1ToV2WithMultipleStores`), which pass on Apple's platforms, open a store of a whole hierarchy
/// with such a configuration. They state that Core Data refuses to open the store with a configuration of other
/// entities.
@Suite("Configurations that contain an entity without its subentities", .onEveryStore)
struct ConfigurationTests {
  private var kind: TestedStore { StoreScope.current.kind }

  private func makeModel() -> NSManagedObjectModel {
    let model = ModelText.model("Book: title string\nNovel < Book: pages i32\nNote: text string")
    for (configuration, entity) in [("books", "Book"), ("novels", "Novel"), ("notes", "Note")] {
      model.setEntities(
        model.entities.filter { $0.name == entity }, forConfigurationName: configuration)
    }
    return model
  }

  private func add(
    _ configuration: String, to coordinator: NSPersistentStoreCoordinator, at url: URL
  ) throws -> NSPersistentStore {
    try coordinator.addPersistentStore(
      ofType: kind.type, configurationName: configuration, at: url)
  }

  private func makeContext(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test("their stores can hold objects of subentities, and can be opened again")
  func entitiesBelow() throws {
    let folder = try TemporaryFolder()
    let url = kind.url(in: folder)
    let model = makeModel()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let books = try add("books", to: coordinator, at: url)
    // Custom stores need not have version hashes in their metadata.
    let hasHashes = TestedStore.allCases.contains(kind)
    for (name, fits) in [("books", true), ("notes", false), ("novels", false)] where hasHashes {
      #expect(
        model.isConfiguration(withName: name, compatibleWithStoreMetadata: books.metadata) == fits)
    }
    let context = makeContext(coordinator)
    try context.performAndWait {
      let novel = context.insert("Novel", ["title": "Emma", "pages": 1_036])
      try context.save()
      #expect(novel.objectID.persistentStore === books)
      context.insert("Note", ["text": "no store has it"])
      #expect(throws: NSError.self) { try context.save() }
    }
    guard kind.isFile, hasHashes else { return }
    try coordinator.remove(books)
    let second = NSPersistentStoreCoordinator(managedObjectModel: model)
    #expect(throws: NSError.self) { try add("notes", to: second, at: url) }
    _ = try add("books", to: second, at: url)
    let again = makeContext(second)
    try again.performAndWait {
      let novels = try again.fetch(NSFetchRequest<NSManagedObject>(entityName: "Novel"))
      #expect(novels.count == 1 && novels.first?["pages"] == 1_036 as Int32?)
    }
  }

  @Test("a new object is saved to the store whose configuration contains its entity")
  func namedFirst() throws {
    let folder = try TemporaryFolder()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel())
    let books = try add("books", to: coordinator, at: kind.url(in: folder, "books"))
    let novels = try add("novels", to: coordinator, at: kind.url(in: folder, "novels"))
    let context = makeContext(coordinator)
    try context.performAndWait {
      let novel = context.insert("Novel", ["title": "Emma"])
      let book = context.insert("Book", ["title": "Emma"])
      try context.save()
      #expect(novel.objectID.persistentStore === novels)
      #expect(book.objectID.persistentStore === books)
      let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
      #expect(count == 2)
    }
  }

  @Test("a store for only the subentity refuses objects of the superentity, but not fetches of it")
  func entityAbove() throws {
    let folder = try TemporaryFolder()
    let url = kind.url(in: folder)
    let model = makeModel()
    for isNew in [true, false] where isNew || kind.isFile {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let novels = try add("novels", to: coordinator, at: url)
      let context = makeContext(coordinator)
      try context.performAndWait {
        context.insert("Novel", ["title": "Emma", "pages": 1_036])
        try context.save()
        for entity in ["Novel", "Book"] {
          let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
          #expect(count == (isNew ? 1 : 2))
        }
        context.insert("Book", ["title": "Emma"])
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.localizedDescription.contains("no open store contains entity Book") == true)
      }
      try coordinator.remove(novels)
    }
  }
}
