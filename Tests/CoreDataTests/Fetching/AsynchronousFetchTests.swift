import CoreData
import Testing

@Suite(.onEveryStore) struct AsynchronousFetchTests {
  /// Returns a stack with this many players.
  private func stack(
    _ count: Int, _ model: NSManagedObjectModel = SampleStack.makeModel()
  ) throws -> SampleStack {
    let stack = try SampleStack(model: model)
    try stack.context.performAndWait {
      for number in 0..<count {
        stack.context.insert("Player", ["name": "player \(number)", "number": number])
      }
      try stack.context.save()
      stack.context.reset()
    }
    return stack
  }

  private func request(
    _ format: String? = nil, sort: String = "number"
  ) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.predicate = format.map { NSPredicate(format: $0) }
    request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)]
    return request
  }

  /// Executes an asynchronous fetch and waits for it.
  private func result<T>(
    _ request: NSFetchRequest<T>, in context: NSManagedObjectContext, estimated: Int = 0,
    started: (NSPersistentStoreAsynchronousResult) throws -> Void = { _ in }
  ) throws -> NSAsynchronousFetchResult<T> {
    let done = DispatchSemaphore(value: 0)
    let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { _ in done.signal() }
    asynchronous.estimatedResultCount = estimated
    let result = try context.performAndWait {
      let result = try #require(
        try context.execute(asynchronous) as? NSAsynchronousFetchResult<T>)
      #expect(result.finalResult == nil, "the result arrives only when the queue is free")
      #expect(result.managedObjectContext === context)
      try started(result)
      return result
    }
    #expect(done.wait(timeout: .now() + 3600) == .success)
    return result
  }

  @Test("The results arrive later, on the context's queue, and the progress counts them")
  func results() throws {
    let stack = try stack(1500)
    let result = try result(request(), in: stack.context, estimated: 1500)
    stack.context.performAndWait {
      #expect(result.finalResult?.count == 1500)
      #expect(result.finalResult?.last?["number"] == 1499)
    }
    #expect(result.operationError == nil)
    #expect(result.progress?.completedUnitCount == 1500)
    #expect(result.progress?.totalUnitCount == 1500)
    #expect(result.progress?.fractionCompleted == 1)
  }

  @Test("The results include unsaved changes, even those made while the rows are read")
  func unsavedChanges() throws {
    let stack = try stack(10)
    let limited = request("number >= 3")
    limited.fetchLimit = 3
    let result = try result(limited, in: stack.context) { _ in
      stack.context.insert("Player", ["number": 4, "name": "new"])
      let all = try stack.context.all("Player", sort: ["number"])
      all[3]["number"] = 100
      stack.context.delete(all[6])
    }
    stack.context.performAndWait {
      #expect(result.finalResult?.map { $0["number"] } == [4, 4, 6])
    }
  }

  @Test("IDs, dictionaries and counts can be fetched asynchronously; errors are thrown immediately")
  func otherResults() throws {
    let stack = try stack(20)
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Player")
    ids.resultType = .managedObjectIDResultType
    #expect(try Set(result(ids, in: stack.context).finalResult ?? []).count == 20)
    let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Player")
    dictionaries.resultType = .dictionaryResultType
    dictionaries.propertiesToFetch = ["number"]
    #expect(try result(dictionaries, in: stack.context).finalResult?.count == 20)
    let count = NSFetchRequest<NSNumber>(entityName: "Player")
    count.resultType = .countResultType
    #expect(try result(count, in: stack.context).finalResult == [20])
    let wrong = NSAsynchronousFetchRequest(fetchRequest: request("years > 3"))
    #expect(throws: NSError.self) {
      try stack.context.performAndWait { try stack.context.execute(wrong) }
    }
  }

  @Test("A child context fetches through its parent")
  func childContext() throws {
    let stack = try stack(5)
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = stack.context
    stack.context.performAndWait { _ = stack.context.insert("Player", ["number": 99]) }
    let result = try result(request(), in: child)
    child.performAndWait {
      #expect(result.finalResult?.map { $0["number"] } == [0, 1, 2, 3, 4, 99])
    }
  }

  /// A condition that compares each player with all players of the team.
  private static let slow = "SUBQUERY(team.players, $p, $p.name CONTAINS name).@count > 5000"

  /// Returns a stack in which the slow condition takes minutes: nine million pairs and text searches.
  private func slowStack() throws -> SampleStack {
    let stack = try stack(3000)
    try stack.context.performAndWait {
      let team = stack.context.insert("Team", ["name": "all"])
      team.setValue(Set(try stack.context.all("Player")), forKey: "players")
      try stack.context.save()
      stack.context.reset()
    }
    return stack
  }

  /// Returns a child of a stack's context.
  private func child(of stack: SampleStack) -> NSManagedObjectContext {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = stack.context
    return child
  }

  /// Executes a request that would take minutes, and cancels it while it reads.
  private func expectCancellation<T>(
    of request: NSFetchRequest<T>, in context: NSManagedObjectContext
  ) throws {
    let result = try result(request, in: context) { result in
      // Uses a separate thread, because the threads of queues may all be busy with other tests. No event reports that
      // SQLite is in the middle of a statement. If the read has not begun by then, the test proves less but does not
      // fail.
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 0.3)
        result.cancel()
      }
    }
    #expect(result.finalResult == nil)
    #expect((result.operationError as? CocoaError)?.code == .userCancelled)
    #expect(result.progress?.isCancelled == true)
  }

  @Test(
    "Cancellation ends a fetch that would take minutes",
    .only(TestedStore.allCases, "custom stores cannot be interrupted"))
  func cancellingInTheMiddle() throws {
    let stack = try slowStack()
    try expectCancellation(of: request(Self.slow), in: stack.context)
    // The connection is still usable.
    let count = try stack.context.performAndWait { try stack.context.count(for: request()) }
    #expect(count == 3000)
  }

  @Test(
    "Cancellation ends counts, and fetches of a child context, while they read on the context's queue",
    .only(TestedStore.allCases, "custom stores cannot be interrupted"))
  func cancellingOnTheQueue() throws {
    let stack = try slowStack()
    let child = child(of: stack)
    for context in [stack.context, child] {
      let count = NSFetchRequest<NSNumber>(entityName: "Player")
      count.predicate = NSPredicate(format: Self.slow)
      count.resultType = .countResultType
      try expectCancellation(of: count, in: context)
    }
    try expectCancellation(of: request(Self.slow), in: child)
    let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Player")
    dictionaries.predicate = NSPredicate(format: Self.slow)
    dictionaries.resultType = .dictionaryResultType
    dictionaries.propertiesToFetch = ["number"]
    try expectCancellation(of: dictionaries, in: child)
    // Both contexts are still usable.
    let count = try child.performAndWait { try child.count(for: request()) }
    #expect(count == 3000)
  }

  @Test(
    "Cancelling the task that waits for a fetch of a child context ends the fetch while it reads",
    .only(TestedStore.allCases, "custom stores cannot be interrupted"))
  func cancellingTheTask() async throws {
    let stack = try slowStack()
    let child = child(of: stack)
    let task = Task {
      let request = NSFetchRequest<NSManagedObjectID>(entityName: "Player")
      request.predicate = NSPredicate(format: Self.slow)
      request.resultType = .managedObjectIDResultType
      return try await child.fetch(NSAsynchronousFetchRequest(fetchRequest: request)).count
    }
    // As in `expectCancellation`, no event reports that SQLite is in the middle of a statement.
    try await Task.sleep(for: .milliseconds(300))
    task.cancel()
    let error = await #expect(throws: (any Error).self) { try await task.value }
    #expect((error as? CocoaError)?.code == .userCancelled)
  }

  @Test(
    "Cancellation ends a fetch or count while the predicate's block is evaluated",
    .only(
      [.inMemory, .binary, .xml, .ownAtomic, .keyValue], "other stores do not evaluate blocks"))
  func cancellingInBlock() throws {
    let stack = try stack(20)
    let running = Unchecked<NSPersistentStoreAsynchronousResult?>(nil)
    let objects = request()
    objects.predicate = NSPredicate { _, _ in
      running.value?.cancel()
      return true
    }
    let found = try result(objects, in: stack.context) { running.value = $0 }
    #expect(found.finalResult == nil)
    #expect((found.operationError as? CocoaError)?.code == .userCancelled)
    let count = NSFetchRequest<NSNumber>(entityName: "Player")
    count.resultType = .countResultType
    count.predicate = objects.predicate
    let counted = try result(count, in: stack.context) { running.value = $0 }
    #expect(counted.finalResult == nil)
    #expect((counted.operationError as? CocoaError)?.code == .userCancelled)
    // The result refers to the request, and thus to the block.
    running.value = nil
  }

  @Test(
    "A fetch that is cancelled after its rows were read has no results", arguments: [false, true])
  func cancellingLate(isChild: Bool) throws {
    let model = SampleStack.makeModel()
    for name in ["Player", "Captain"] {
      model.entitiesByName[name]?.managedObjectClassName = "CoreDataTests.CancellingPlayer"
    }
    let stack = try stack(3, model)
    let context = isChild ? child(of: stack) : stack.context
    let request = request()
    request.returnsObjectsAsFaults = false
    let result = try result(request, in: context) { result in
      context.userInfo[CancellingPlayer.runningFetch] = result
    }
    context.performAndWait { context.userInfo.removeAllObjects() }
    #expect(result.finalResult == nil)
    #expect((result.operationError as? CocoaError)?.code == .userCancelled)
  }

  @Test("The stores of an asynchronous request restrict it and do not change its fetch request")
  func stores() throws {
    let stack = try SampleStack()
    let context = stack.context
    let second = try stack.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    try context.performAndWait {
      for (number, store) in stack.coordinator.persistentStores.enumerated() {
        context.assign(context.insert("Player", ["number": number]), to: store)
      }
      try context.save()
    }
    let fetch = request()
    let done = DispatchSemaphore(value: 0)
    let asynchronous = NSAsynchronousFetchRequest(fetchRequest: fetch) { _ in done.signal() }
    asynchronous.affectedStores = [second]
    let result = try context.performAndWait {
      try #require(
        try context.execute(asynchronous) as? NSAsynchronousFetchResult<NSManagedObject>)
    }
    #expect(done.wait(timeout: .now() + 3600) == .success)
    #expect(fetch.affectedStores == nil && fetch.entity?.name == "Player")
    try context.performAndWait {
      let count = try context.count(for: fetch)
      #expect(count == 2)
      #expect(result.finalResult?.map { $0["number"] } == [1])
    }
  }

  @Test("A fetch that is cancelled before it starts reads nothing")
  func cancellingAtOnce() throws {
    let stack = try stack(10)
    let result = try result(request(), in: stack.context) { $0.cancel() }
    #expect(result.finalResult == nil)
    #expect((result.operationError as? CocoaError)?.code == .userCancelled)
  }

  @Test("An async fetch returns the results, and cancelling its task cancels the fetch")
  func asyncAwait() async throws {
    let stack = try stack(50)
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Player")
    ids.resultType = .managedObjectIDResultType
    let asynchronous = NSAsynchronousFetchRequest(fetchRequest: ids)
    let found = try await stack.context.fetch(asynchronous)
    #expect(found.count == 50)
    let context = stack.context
    let task = Task {
      try await Task.sleep(for: .milliseconds(20))
      let request = NSFetchRequest<NSManagedObjectID>(entityName: "Player")
      request.resultType = .managedObjectIDResultType
      return try await context.fetch(NSAsynchronousFetchRequest(fetchRequest: request)).count
    }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
  }

  @Test("A context executes fetches, and throws for saves and unknown requests")
  func executing() throws {
    let stack = try stack(3)
    try stack.context.performAndWait {
      let result =
        try stack.context.execute(request())
        as? NSAsynchronousFetchResult<
          NSManagedObject
        >
      #expect(result?.finalResult?.count == 3)
      // Source: Apple's page for `execute(_:)`, which rejects save requests.
      for other in [NSSaveChangesRequest(), NSPersistentStoreRequest()] {
        let error = #expect(throws: NSError.self) { try stack.context.execute(other) }
        #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
      }
    }
  }

  @Test(
    "The results include saves and merges that happen while the rows are read")
  func savedMeanwhile() throws {
    let stack = try stack(10)
    let context = stack.context
    let team = context.performAndWait { () -> NSManagedObject in
      let team = context.insert("Team", ["name": "Red"])
      context.insert("Player", ["number": 100, "team": team])
      return team
    }
    // The team has no row yet when the rows are read.
    let ofTeam = request()
    ofTeam.predicate = NSPredicate(format: "team == %@", team)
    let result = try result(ofTeam, in: context) { _ in
      context.insert("Player", ["number": 101, "team": team])
      try context.save()
    }
    context.performAndWait {
      #expect(result.finalResult?.map { $0["number"] } == [100, 101])
    }
    let other = stack.newContext()
    let all = try self.result(request("number < 100"), in: context) { _ in
      let players = try context.all("Player", "number < 100", sort: ["number"])
      let id = players[3].objectID
      let recorded = Recorder(.NSManagedObjectContextDidSave, of: other)
      try other.performAndWait {
        try other.existingObject(with: id).setValue("changed", forKey: "name")
        try other.save()
      }
      for notification in recorded.notifications {
        context.mergeChanges(fromContextDidSave: notification)
      }
    }
    context.performAndWait { #expect(all.finalResult?[3]["name"] == "changed") }
  }
}

/// A player that cancels the fetch of its context when its values are read.
final class CancellingPlayer: NSManagedObject {
  /// The key of the fetch in the context's `userInfo`.
  static let runningFetch = "running fetch"

  override func awakeFromFetch() {
    super.awakeFromFetch()
    let fetch = managedObjectContext?.userInfo[Self.runningFetch]
    (fetch as? NSPersistentStoreAsynchronousResult)?.cancel()
  }
}
