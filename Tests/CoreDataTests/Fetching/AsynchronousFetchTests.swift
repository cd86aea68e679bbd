import CoreData
import Testing

@Suite(.onEveryStore) struct AsynchronousFetchTests {
  /// Returns a stack with this many players.
  private func stack(_ count: Int) throws -> SampleStack {
    let stack = try SampleStack()
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

  @Test(
    "Cancellation ends a fetch that would take minutes",
    .only(TestedStore.allCases, "custom stores cannot be interrupted"))
  func cancellingInTheMiddle() throws {
    let stack = try stack(3000)
    // Each player is compared with all players of the team: nine million pairs and text searches.
    let slow = request("SUBQUERY(team.players, $p, $p.name CONTAINS name).@count > 5000")
    try stack.context.performAndWait {
      let team = stack.context.insert("Team", ["name": "all"])
      team.setValue(Set(try stack.context.all("Player")), forKey: "players")
      try stack.context.save()
      stack.context.reset()
    }
    let result = try result(slow, in: stack.context) { result in
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
    // The connection is still usable.
    let count = try stack.context.performAndWait { try stack.context.count(for: request()) }
    #expect(count == 3000)
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
