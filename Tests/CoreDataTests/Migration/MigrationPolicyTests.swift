import CoreData
import Foundation
import Synchronization
import Testing

/// Records the order of its calls.
private final class NotingPolicy: NSEntityMigrationPolicy, @unchecked Sendable {
  static let notes = Mutex<[String]>([])

  private func note(_ what: String, _ mapping: NSEntityMapping) {
    let text = "\(what) \(mapping.destinationEntityName ?? "")"
    Self.notes.withLock { if $0.last != text { $0.append(text) } }
  }

  override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
    #expect(manager.currentEntityMapping === mapping)
    note("begin", mapping)
  }

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    #expect(type(of: sInstance) == NSManagedObject.self)
    #expect(sInstance.managedObjectContext === manager.sourceContext)
    let made = manager.destinationInstances(
      forEntityMappingName: mapping.name, sourceInstances: [sInstance])
    #expect(made.count == 1)
    #expect(made.first?.managedObjectContext === manager.destinationContext)
    #expect(
      manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: made)
        == [sInstance])
    note("create", mapping)
  }

  override func endInstanceCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws { note("created", mapping) }

  override func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    #expect(dInstance.objectID.isTemporaryID == false)
    note("relate", mapping)
  }

  override func endRelationshipCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws { note("related", mapping) }

  override func performCustomValidation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    let all = manager.destinationInstances(
      forEntityMappingName: mapping.name, sourceInstances: nil)
    #expect(all.count == (mapping.destinationEntityName == "Shelf" ? 3 : 21))
    note("validate", mapping)
  }

  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    note("end", mapping)
  }
}

/// Implements the functions that expressions call.
private final class CallingPolicy: NSEntityMigrationPolicy, @unchecked Sendable {
  override func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
    switch selector {
    case "code:mapping:": "\(arguments[0] ?? "")/\(arguments[1] ?? "")/\(arguments.count)"
    default: try super.value(forFunction: selector, arguments: arguments)
    }
  }
}

/// Exchanges the titles and codes of some books, by renaming the property mappings.
private final class RenamingPolicy: NSEntityMigrationPolicy, @unchecked Sendable {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    let isExchanged = sInstance.value(forKey: "pages") as? Int == 1
    mapping.attributeMappings?[0].name = isExchanged ? "code" : "title"
    mapping.attributeMappings?[2].name = isExchanged ? "title" : "code"
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
  }
}

/// Puts books on shelves by whether their number of pages is even, and finds an existing shelf by its label.
private final class ShelfPolicy: NSEntityMigrationPolicy, @unchecked Sendable {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let context = manager.destinationContext
    let label = "pages \((sInstance.value(forKey: "pages") as? Int ?? 0) % 2)"
    let book = try #require(
      manager.destinationInstances(
        forEntityMappingName: mapping.name, sourceInstances: [sInstance]
      ).first)
    // Searches the registered objects, as many policies do.
    let known = context.registeredObjects.first {
      $0.entity.name == "Shelf" && $0.value(forKey: "label") as? String == label
    }
    let shelf =
      known ?? NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
    shelf.setValue(label, forKey: "label")
    book.setValue(shelf, forKey: "shelf")
  }
}

/// Associates every source with the first destination as well, while relationships are set.
private final class LatePolicy: NSEntityMigrationPolicy, @unchecked Sendable {
  static let calls = Mutex<[NSManagedObjectID]>([])

  override func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    let first = Self.calls.withLock { calls in
      calls.append(dInstance.objectID)
      return calls[0]
    }
    for source in manager.sourceInstances(
      forEntityMappingName: mapping.name, destinationInstances: [dInstance])
    where first != dInstance.objectID {
      manager.associate(
        sourceInstance: source,
        withDestinationInstance: manager.destinationContext.object(with: first), for: mapping)
    }
  }
}

/// Deletes objects of earlier batches, and objects that a later batch would reach.
private final class DeletingPolicy: NSEntityMigrationPolicy, @unchecked Sendable {
  static let visits = Mutex(0)
  private var sources: [NSManagedObjectID] = []
  private var visited = 0

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    sources.append(sInstance.objectID)
    if sources.count > 2_000, sources.count <= 2_600 {
      try delete([sources.count - 2_001], mapping, manager)
    }
  }

  override func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    visited += 1
    Self.visits.withLock { $0 = visited }
    #expect(dInstance.value(forKey: "title") is String)
    if visited == 1_100 {
      try delete(Array(700..<750) + Array(1_750..<1_760) + Array(2_900..<2_910), mapping, manager)
    }
  }

  private func delete(
    _ places: [Int], _ mapping: NSEntityMapping, _ manager: NSMigrationManager
  ) throws {
    for place in places {
      let source = manager.sourceContext.object(with: sources[place])
      let made = manager.destinationInstances(
        forEntityMappingName: mapping.name, sourceInstances: [source])
      manager.destinationContext.delete(try #require(made.first))
    }
  }

  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    let deleted = manager.sourceContext.object(with: sources[0])
    #expect(
      manager.destinationInstances(
        forEntityMappingName: mapping.name, sourceInstances: [deleted]
      ).isEmpty)
    let all = manager.destinationInstances(
      forEntityMappingName: mapping.name, sourceInstances: nil)
    #expect(all.count == 2_480)
  }
}

private final class FailingPolicy: NSEntityMigrationPolicy, @unchecked Sendable {
  struct Refusal: Error, Equatable { let stage: String }

  private func fail(_ stage: String, _ manager: NSMigrationManager) throws {
    if manager.userInfo?["stage"] as? String == stage { throw Refusal(stage: stage) }
  }

  override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
    try fail("begin", manager)
  }

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    try fail("create", manager)
  }

  override func endInstanceCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws { try fail("created", manager) }

  override func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws { try fail("relate", manager) }

  override func endRelationshipCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws { try fail("related", manager) }

  override func performCustomValidation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws { try fail("validate", manager) }

  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    try fail("end", manager)
  }
}

@Suite struct MigrationPolicyTests {
  init() {
    NSEntityMigrationPolicy.register([
      NotingPolicy.self, CallingPolicy.self, ShelfPolicy.self, FailingPolicy.self,
      LatePolicy.self, DeletingPolicy.self, RenamingPolicy.self,
    ])
  }

  private func manager() -> NSMigrationManager {
    NSMigrationManager(sourceModel: LibraryModels.one(), destinationModel: LibraryModels.two())
  }

  @Test("A policy is called stage by stage, and each stage covers all mappings before the next")
  func stages() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    let mapping = LibraryModels.mapping()
    mapping.entityMappings[0].entityMigrationPolicyClassName = "NotingPolicy"
    mapping.entityMappings[1].entityMigrationPolicyClassName = "REPLACE_AT_RUNTIME.NotingPolicy"
    try migration.run(mapping)
    #expect(
      NotingPolicy.notes.withLock { $0 } == [
        "begin Shelf", "create Shelf", "created Shelf", "begin Book", "create Book",
        "created Book", "relate Shelf", "related Shelf", "relate Book", "related Book",
        "validate Shelf", "end Shelf", "validate Book", "end Book",
      ])
  }

  @Test("Expressions call functions of the policy and of the manager")
  func functions() throws {
    final class RequestingManager: NSMigrationManager, @unchecked Sendable {
      override func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
        guard selector == "thinBooks:", let limit = arguments[0] as? Int else {
          return try super.value(forFunction: selector, arguments: arguments)
        }
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(format: "pages < %d", limit)
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        return request
      }
    }
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    let mapping = LibraryModels.mapping()
    let books = mapping.entityMappings[1]
    books.entityMigrationPolicyClassName = "CallingPolicy"
    books.userInfo = ["version": "two"]
    books.attributeMappings?[2].valueExpression = NSExpression(
      format: "FUNCTION($entityPolicy, 'code:mapping:', $source.title,"
        + " $entityMapping.userInfo.version)")
    books.sourceExpression = NSExpression(
      format: "FETCH(FUNCTION($manager, 'thinBooks:', 2), $manager.sourceContext, NO)")
    mapping.entityMappings = [mapping.entityMappings[0], books]
    try migration.run(
      mapping,
      manager: RequestingManager(
        sourceModel: LibraryModels.one(), destinationModel: LibraryModels.two()))
    let rows = try Rows(migration.destination, LibraryModels.two())
    #expect(
      try rows.map("Book") { $0.text("code") }.sorted()
        == (0..<3).flatMap { ["book \($0).0/two/2", "book \($0).1/two/2"] })
    #expect(
      try rows.map("Shelf") { $0.texts("books", "pages").sorted() } == [
        ["0", "1"], ["0", "1"], ["0", "1"],
      ])
    try rows.close()
  }

  @Test("A policy can change which property a mapping sets, from one object to the next")
  func renamedMappings() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    let mapping = LibraryModels.mapping()
    mapping.entityMappings[1].entityMigrationPolicyClassName = "RenamingPolicy"
    try migration.run(mapping)
    let rows = try Rows(migration.destination, LibraryModels.two())
    let books = try rows.map("Book") { book in
      ["pages", "title", "code"].map(book.text).joined(separator: " ")
    }
    #expect(books.contains("0 book 0.0 BOOK 0.0"))
    #expect(books.contains("1 BOOK 0.1 book 0.1"))
    try rows.close()
  }

  @Test("Associations that a policy adds late do not repeat any calls")
  func lateAssociations() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder(), shelves: 300)
    let mapping = LibraryModels.mapping()
    mapping.entityMappings = [mapping.entityMappings[1]]
    mapping.entityMappings[0].relationshipMappings = []
    mapping.entityMappings[0].entityMigrationPolicyClassName = "LatePolicy"
    LatePolicy.calls.withLock { $0 = [] }
    try migration.run(mapping)
    let calls = LatePolicy.calls.withLock { $0 }
    #expect(calls.count == 2_100)
    #expect(Set(calls).count == 2_100)
  }

  @Test("Later batches find objects that a policy made without associating them")
  func unassociatedObjects() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder(), shelves: 150)
    let mapping = LibraryModels.mapping()
    mapping.entityMappings = [mapping.entityMappings[1]]
    mapping.entityMappings[0].relationshipMappings = []
    mapping.entityMappings[0].entityMigrationPolicyClassName = "ShelfPolicy"
    try migration.run(mapping)
    let rows = try Rows(migration.destination, LibraryModels.two())
    #expect(
      try rows.map("Shelf") { "\($0.text("label")): \($0.texts("books", "pages").count)" }.sorted()
        == ["pages 0: 450", "pages 1: 600"])
    try rows.close()
  }

  @Test(
    "Objects that a policy deletes in earlier batches are not visited again")
  func deletedObjects() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder(), shelves: 450)
    let mapping = LibraryModels.mapping()
    mapping.entityMappings[1].entityMigrationPolicyClassName = "DeletingPolicy"
    try migration.run(mapping)
    #expect(DeletingPolicy.visits.withLock { $0 } == 2_530)
    let rows = try Rows(migration.destination, LibraryModels.two())
    #expect(try rows.count("Book") == 2_480)
    let members = try rows.map("Shelf") { $0.texts("books", "title").count }
    #expect(members.reduce(0, +) == 2_480 + 1_350)
    try rows.close()
    let report = try NSPersistentStoreCoordinator.verifyPersistentStore(at: migration.destination)
    #expect(report.findings.isEmpty)
  }

  @Test(
    "A policy's error ends the migration with that error, and both stores are unchanged",
    arguments: ["begin", "create", "created", "relate", "related", "validate", "end"])
  func failing(_ stage: String) throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    let before = try migration.files()
    let mapping = LibraryModels.mapping()
    mapping.entityMappings[1].entityMigrationPolicyClassName = "Some.FailingPolicy"
    let manager = manager()
    manager.userInfo = ["stage": stage]
    #expect(throws: FailingPolicy.Refusal(stage: stage)) {
      try migration.run(mapping, manager: manager)
    }
    #expect(try migration.files() == before)
    // The manager can be used again.
    manager.userInfo = nil
    try migration.run(LibraryModels.mapping(), manager: manager)
    #expect(manager.currentEntityMapping == nil)
  }

  @Test("An idle manager has no associations, and finds entities by name")
  func idleManager() throws {
    let manager = manager()
    let mapping = LibraryModels.mapping().entityMappings[0]
    #expect(manager.destinationInstances(forEntityMappingName: "x", sourceInstances: nil).isEmpty)
    #expect(manager.sourceEntity(for: mapping)?.name == "Shelf")
    #expect(manager.destinationEntity(for: mapping)?.attributesByName["label"] != nil)
    #expect(manager.mappingModel == nil)
    #expect(manager.usesStoreSpecificMigrationManager)
    mapping.sourceEntityName = nil
    #expect(manager.sourceEntity(for: mapping) == nil)
  }
}
