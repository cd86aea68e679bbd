import CoreData
import Testing

/// Sources: Apple's headers, in which these classes inherit `init` from NSObject without marking it
/// unavailable (as listed by madsmtm/objc2-generated). NSMergePolicy, NSMergeConflict,
/// NSBatchDeleteRequest, stores and migration stages mark it unavailable.
@Suite("Classes that programs can create without arguments according to Apple's headers")
struct EmptyInitializerTests {
  @Test("Every such class can be made, printed and compared")
  @available(*, deprecated)
  func everyClass() {
    let predicates: [NSObject] = [
      NSComparisonPredicate(), NSCompoundPredicate(), NSExpression(), NSFetchRequestExpression(),
      NSPredicate(), NSSortDescriptor(),
    ]
    let descriptions: [NSObject] = [
      NSAttributeDescription(), NSCompositeAttributeDescription(), NSDerivedAttributeDescription(),
      NSEntityDescription(), NSExpressionDescription(), NSFetchIndexDescription(),
      NSFetchIndexElementDescription(), NSFetchedPropertyDescription(), NSManagedObjectModel(),
      NSPropertyDescription(), NSRelationshipDescription(),
    ]
    let migration: [NSObject] = [
      NSEntityMapping(), NSEntityMigrationPolicy(), NSMappingModel(), NSMigrationManager(),
      NSMigrationStage(), NSPropertyMapping(), NSSecureUnarchiveFromDataTransformer(),
      ValueTransformer(),
    ]
    let requests: [NSObject] = [
      NSAsynchronousFetchRequest<NSManagedObject>(), NSBatchInsertRequest(),
      NSBatchUpdateRequest(), NSFetchRequest<NSManagedObject>(),
      NSFetchedResultsController<NSManagedObject>(), NSPersistentHistoryChangeRequest(),
      NSPersistentStoreRequest(), NSSaveChangesRequest(),
    ]
    let results: [NSObject] = [
      NSAsynchronousFetchResult<NSManagedObject>(), NSBatchDeleteResult(), NSBatchInsertResult(),
      NSBatchUpdateResult(), NSPersistentHistoryChange(), NSPersistentHistoryResult(),
      NSPersistentHistoryToken(), NSPersistentHistoryTransaction(),
      NSPersistentStoreAsynchronousResult(), NSPersistentStoreResult(),
    ]
    let graph: [NSObject] = [
      NSAtomicStoreCacheNode(), NSConstraintConflict(), NSDiffableDataSourceSnapshotReference(),
      NSIncrementalStoreNode(), NSManagedObject(), NSManagedObjectContext(), NSManagedObjectID(),
      NSPersistentContainer(), NSPersistentStoreCoordinator(), NSPersistentStoreDescription(),
      NSQueryGenerationToken(), UndoManager(),
    ]
    let objects = [predicates, descriptions, migration, requests, results, graph].joined()
    for object in objects {
      #expect(!object.description.isEmpty, "\(type(of: object))")
      #expect(object.isEqual(object) && object.hash == object.hash, "\(type(of: object))")
    }
  }

  @Test("Expressions, predicates and sort descriptors made without arguments can be evaluated")
  func evaluation() {
    let nothing = NSExpression()
    #expect(nothing.expressionType == .constantValue && nothing.constantValue == nil)
    #expect(nothing.expressionValue(with: "a", context: nil) == nil)
    #expect(nothing == NSExpression(forConstantValue: nil) && nothing.description == "nil")
    #expect(NSFetchRequestExpression().expressionValue(with: "a", context: nil) == nil)
    #expect(NSComparisonPredicate().description == "nil == nil")
    #expect(NSComparisonPredicate().evaluate(with: "a"))
    #expect(NSCompoundPredicate().evaluate(with: "a"))
    let order = NSSortDescriptor()
    #expect(order.key == nil && order.ascending)
    #expect(([3, 1, 2] as NSArray).sortedArray(using: [order]) as? [Int] == [1, 2, 3])
  }

  @Test("Requests made without arguments throw when they are executed")
  func requests() throws {
    try SampleStack.withContext { context in
      let requests: [NSPersistentStoreRequest] = [
        NSBatchInsertRequest(), NSBatchUpdateRequest(),
        NSAsynchronousFetchRequest<NSManagedObject>(),
      ]
      for request in requests {
        #expect(throws: NSError.self, "\(type(of: request))") { try context.execute(request) }
      }
      try context.setQueryGenerationFrom(NSQueryGenerationToken())
      #expect(try context.all("Player").isEmpty)
    }
    let controller = NSFetchedResultsController<NSManagedObject>()
    #expect(controller.fetchedObjects == nil && controller.sections == nil)
    controller.managedObjectContext.performAndWait {
      _ = #expect(throws: NSError.self) { try controller.performFetch() }
    }
    var loaded = 0
    let container = NSPersistentContainer()
    container.loadPersistentStores { _, _ in loaded += 1 }
    #expect(container.name.isEmpty && loaded == 0)
    #expect(container.managedObjectModel.entities.isEmpty)
    #expect(NSMigrationManager().sourceModel.entities.isEmpty)
  }

  @Test("Results, nodes and history records made without arguments are empty")
  func records() {
    #expect(NSBatchDeleteResult().result == nil && NSBatchInsertResult().result == nil)
    #expect(NSBatchUpdateResult().result == nil && NSPersistentHistoryResult().result == nil)
    #expect(NSAsynchronousFetchResult<NSManagedObject>().finalResult == nil)
    #expect(NSAtomicStoreCacheNode().value(forKey: "name") == nil)
    #expect(NSIncrementalStoreNode().value(for: NSAttributeDescription()) == nil)
    #expect(NSPersistentHistoryToken() == NSPersistentHistoryToken())
    let change = NSPersistentHistoryChange()
    #expect(change.changedObjectID == change.changedObjectID && change.transaction == nil)
    #expect(NSPersistentHistoryTransaction().changes == nil)
    #expect(NSPersistentHistoryTransaction().objectIDNotification().userInfo?.isEmpty == true)
  }

  @Test("Indexes made without arguments are invalid until they are completed")
  func indexes() throws {
    let model = SampleStack.makeModel()
    let player = try #require(model.entitiesByName["Player"])
    let index = NSFetchIndexDescription()
    player.indexes = [index]
    #expect(model.problems.map(\.kind) == [.unnamedIndex, .invalidIndex])
    index.name = "byAge"
    index.elements = [NSFetchIndexElementDescription()]
    #expect(model.problems.map(\.kind) == [.invalidIndex])
    let age = try #require(player.attributesByName["age"])
    index.elements = [NSFetchIndexElementDescription(property: age, collationType: .binary)]
    #expect(model.problems.isEmpty && index.elements[0].isAscending)
  }

  @Test("Managed objects made without arguments have their class's entity and no context")
  func objects() throws {
    let entity = NSEntityDescription()
    entity.name = "LoneThing"
    entity.managedObjectClassName = "CoreDataTests.LoneThing"
    entity.properties = [SampleStack.attribute("name", .stringAttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    try SampleStack.withContext(model: model) { context in
      let thing = LoneThing()
      #expect(thing.entity === entity && thing.managedObjectContext == nil)
      thing.setValue("a", forKey: "name")
      context.insert(thing)
      try context.save()
      #expect(try context.all("LoneThing", "name == 'a'") == [thing])
    }
    let nothing = NSManagedObject()
    #expect(nothing.managedObjectContext == nil && !nothing.hasChanges && !nothing.isFault)
    #expect(nothing.objectID.isTemporaryID)
  }

  @Test("Subclasses can have an initializer without arguments")
  func subclasses() {
    #expect(StubController().fetchedObjects?.isEmpty == true)
    #expect(LoneContainer().name == "lone")
  }
}

final class LoneThing: NSManagedObject {}

private final class StubController: NSFetchedResultsController<NSManagedObject> {
  override init() { super.init() }
  override var fetchedObjects: [NSManagedObject]? { [] }
}

private final class LoneContainer: NSPersistentContainer, @unchecked Sendable {
  init() { super.init(name: "lone", managedObjectModel: NSManagedObjectModel()) }
}
