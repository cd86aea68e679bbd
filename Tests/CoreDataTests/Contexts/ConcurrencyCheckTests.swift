import Testing

@testable import CoreData

@Suite("Uses of contexts outside their queues")
struct ConcurrencyCheckTests {
  @Test(
    "an object used outside its context's queue stops the program with a message that suggests the correct call"
  )
  func object() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "1", 1)
      let stack = try SampleStack()
      stack.context.name = "import"
      let ann = stack.context.performAndWait { stack.context.insert("Player", ["name": "Ann"]) }
      _ = ann.value(forKey: "name")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("an object of entity Player"))
    #expect(text.contains("the private queue of the context \"import\""))
    #expect(text.contains("context.perform { … }") && text.contains("existingObject(with:)"))
  }

  @Test("a context used from another context's queue stops the program")
  func context() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "1", 1)
      let stack = try SampleStack()
      let other = stack.newContext()
      try other.performAndWait { _ = try stack.context.all("Player") }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("this is the private queue of another context"))
  }

  @Test("the message about a misuse states the queue on which it happens")
  func presentQueue() throws {
    let stack = try SampleStack()
    let onContext: String = stack.context.performAndWait { ContextQueue.presentDescription }
    #expect(onContext == "the private queue of another context")
    let onCoordinator: String = stack.coordinator.performAndWait {
      ContextQueue.presentDescription
    }
    #expect(onCoordinator == "the queue of a persistent store coordinator")
    // The queue that the caller entered last counts.
    let onBoth: String = stack.coordinator.performAndWait {
      stack.context.performAndWait { ContextQueue.presentDescription }
    }
    #expect(onBoth == "the private queue of another context")
    let confined = NSManagedObjectContext.confined(to: stack.coordinator)
    let onConfined: String = confined.performAndWait { ContextQueue.presentDescription }
    #expect(onConfined == "a block of another context, which has no queue")
  }

  @Test("correct uses pass: nested queues, children, merges, undo, controllers")
  func correctUse() async throws {
    await #expect(processExitsWith: .success) {
      setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "1", 1)
      let stack = try SampleStack()
      let other = stack.newContext()
      other.automaticallyMergesChangesFromParent = true
      stack.context.undoManager = UndoManager()
      let child = ChildContextTests.child(of: stack.context)
      // `held` is used only on the queue of its context.
      nonisolated(unsafe) let held = try child.performAndWait {
        let ann = child.insert("Player", ["name": "Ann"])
        try child.save()
        try stack.context.performAndWait {
          #expect(ann["name"] == "Ann")
          try stack.context.save()
          try other.performAndWait { _ = try other.all("Player", "name == \"Ann\"") }
        }
        return ann
      }
      try await child.perform(schedule: .enqueued) {
        #expect(!held.objectID.isTemporaryID)
        held.setValue("Bea", forKey: "name")
        try child.save()
      }
      try await stack.context.perform {
        stack.context.undo()
        stack.context.rollback()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
          fetchRequest: request, managedObjectContext: stack.context, sectionNameKeyPath: nil,
          cacheName: nil)
        try controller.performFetch()
        stack.context.reset()
      }
      await other.perform(schedule: .enqueued) { other.refreshAllObjects() }
    }
  }

  // Source: WWDC 2014, session 225: "-com.apple.CoreData.ConcurrencyDebug 1".
  @Test(
    "the launch argument decides, then the environment variable, then whether the process is a test runner"
  )
  func deciding() {
    func isOn(_ arguments: [String], _ value: String?) -> Bool {
      ConcurrencyCheck.isOn(
        arguments: arguments,
        environment: value.map { ["OPENCOREDATA_CONCURRENCY_DEBUG": $0] } ?? [:])
    }
    let argument = "-com.apple.CoreData.ConcurrencyDebug"
    #expect(isOn(["app", argument, "1"], "0"))
    #expect(isOn(["app", argument], nil))
    #expect(!isOn(["app", argument, "NO"], "1"))
    #expect(isOn(["app", argument, "3"], nil))
    #expect(isOn(["suite.xctest"], "1"))
    #expect(!isOn(["app"], "off"))
    #expect(!isOn(["/tmp/suite.xctest"], nil))
    #expect(!isOn(["/usr/bin/swiftpm-testing-helper"], nil))
    #if DEBUG
      #expect(isOn(["app"], nil))
    #endif
  }

  @Test("the check can be turned off")
  func off() async throws {
    await #expect(processExitsWith: .success) {
      setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "0", 1)
      let stack = try SampleStack()
      let ann = stack.context.performAndWait { stack.context.insert("Player", ["name": "Ann"]) }
      _ = ann.value(forKey: "name")
    }
  }
}
