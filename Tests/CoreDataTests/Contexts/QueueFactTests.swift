import CoreData
import Testing

/// Sources: NSManagedObject.h and NSManagedObjectContext.h (members that may be used on any thread), Apple's
/// pages "Concurrency" and `mainQueueConcurrencyType`; public reports.
@Suite("Members that may be used outside a context's queue")
struct QueueFactTests {
  @Test("IDs, contexts and flags of objects, and settings of contexts, may be used on any thread")
  func threadSafe() async throws {
    await #expect(processExitsWith: .success) {
      setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "1", 1)
      let stack = try SampleStack()
      let context = stack.context
      let ann = try context.performAndWait {
        let ann = context.insert("Player", ["name": "Ann"])
        try context.save()
        return ann
      }
      #expect(!ann.objectID.isTemporaryID && ann.entity.name == "Player")
      #expect(ann.managedObjectContext === context)
      #expect(!ann.hasChanges && !ann.isFault && !ann.isInserted && !ann.isDeleted)
      context.name = "import"
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      context.transactionAuthor = "test"
      context.userInfo["key"] = "value"
      context.automaticallyMergesChangesFromParent = true
      context.shouldDeleteInaccessibleFaults = false
      context.undoManager = nil
      #expect(context.persistentStoreCoordinator === stack.coordinator && context.parent == nil)
    }
  }

  @Test("the main queue's context may be used directly on the main thread, and on no other")
  func mainThread() async throws {
    await #expect(processExitsWith: .success) {
      setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "1", 1)
      try await MainActor.run {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = try SampleStack().coordinator
        context.insert("Player", ["name": "Ann"])
        try context.save()
        #expect(try context.all("Player").map { $0["name"] } == ["Ann"])
      }
    }
    await #expect(processExitsWith: .failure) {
      setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "1", 1)
      let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      context.persistentStoreCoordinator = try SampleStack().coordinator
      await Task.detached { _ = context.insert("Player") }.value
    }
  }
}
