import CoreData
import Testing

// Source: public reports about saves to read-only stores: NSCocoaErrorDomain 513, "Unable to write
// to file opened Readonly".
@Suite struct ReadOnlyErrorTests {
  private func expectRefusal(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    let error = #expect(throws: NSError.self, "\(what)", sourceLocation: sourceLocation) {
      try body()
    }
    #expect(error?.domain == NSCocoaErrorDomain, "\(what)", sourceLocation: sourceLocation)
    #expect(error?.code == NSFileWriteNoPermissionError, "\(what)", sourceLocation: sourceLocation)
    #expect(error?.localizedDescription.contains("reading only") == true, "\(what)")
    #expect(error?.userInfo[NSFilePathErrorKey] != nil, "\(what)", sourceLocation: sourceLocation)
  }

  @Test(arguments: [TestedStore.sqlite, .xml, .binary])
  func `Saving to a read-only store throws the error for a file without write permission`(
    _ kind: TestedStore
  ) throws {
    let folder = try TemporaryFolder()
    let url = kind.url(in: folder)
    let (made, writing) = try kind.open(SampleStack.makeModel(), at: url)
    try writing.performAndWait {
      writing.insert("Player", ["name": "Ann"])
      try writing.save()
    }
    try writing.persistentStoreCoordinator?.remove(made)
    let (store, context) = try kind.open(
      SampleStack.makeModel(), at: url, options: [NSReadOnlyPersistentStoreOption: true])
    try context.performAndWait {
      let ann = try context.all("Player")[0]
      ann.setValue("Bea", forKey: "name")
      expectRefusal("update") { try context.save() }
      #expect(ann.hasChanges)
      context.rollback()
      context.delete(ann)
      expectRefusal("deletion") { try context.save() }
      context.rollback()
      let bea = context.insert("Player", ["name": "Bea"])
      expectRefusal("permanent ID") { try context.obtainPermanentIDs(for: [bea]) }
      #expect(bea.objectID.isTemporaryID)
      expectRefusal("insertion") { try context.save() }
      context.rollback()
    }
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    try child.performAndWait {
      child.insert("Player", ["name": "Cid"])
      try child.save()
    }
    context.performAndWait { expectRefusal("what a child saved") { try context.save() } }
    #expect(store.isReadOnly)
  }

  @Test func `Batch requests and deletions of history throw the same error`() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let history: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
    let (made, writing) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: url, options: history)
    try writing.persistentStoreCoordinator?.remove(made)
    let (_, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: url,
      options: history.merging([NSReadOnlyPersistentStoreOption: true]) { $1 })
    let players = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
    let update = NSBatchUpdateRequest(entityName: "Player")
    update.propertiesToUpdate = ["name": "Ann"]
    let requests: [NSPersistentStoreRequest] = [
      NSBatchInsertRequest(entityName: "Player", objects: [["name": "Ann"]]), update,
      NSBatchDeleteRequest(fetchRequest: players),
      NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture),
    ]
    context.performAndWait {
      for request in requests {
        expectRefusal("\(type(of: request))") { _ = try context.execute(request) }
      }
    }
  }

  @Test
  func `Migrating a read-only store throws the error for a file without write permission`()
    throws
  {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let (made, writing) = try TestedStore.sqlite.open(SampleStack.makeModel(), at: url)
    try writing.persistentStoreCoordinator?.remove(made)
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.properties.append(
      SampleStack.attribute("city", .stringAttributeType))
    let error = #expect(throws: NSError.self) {
      _ = try TestedStore.sqlite.open(
        model, at: url,
        options: [
          NSReadOnlyPersistentStoreOption: true, NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true,
        ])
    }
    #expect(error?.code == NSMigrationError)
    let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(cause?.code == NSFileWriteNoPermissionError)
  }

  @Test(arguments: [TestedStore.sqlite, .xml, .binary])
  func `The next save of a read-only store throws if its metadata was changed`(
    _ kind: TestedStore
  ) throws {
    let folder = try TemporaryFolder()
    let url = kind.url(in: folder)
    let (made, writing) = try kind.open(SampleStack.makeModel(), at: url)
    try writing.performAndWait { try writing.save() }
    try writing.persistentStoreCoordinator?.remove(made)
    let (store, context) = try kind.open(
      SampleStack.makeModel(), at: url, options: [NSReadOnlyPersistentStoreOption: true])
    try context.performAndWait { try context.save() }
    var metadata = store.metadata ?? [:]
    metadata["of the program"] = 1
    store.metadata = metadata
    context.performAndWait { expectRefusal("metadata") { try context.save() } }
  }
}
