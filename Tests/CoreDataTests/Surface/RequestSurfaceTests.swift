import CoreData
import Testing

/// Uses the public members of requests and their results with their Swift types. Sources: Apple's pages
/// "NSFetchRequest", "NSFetchRequestExpression", "NSAsynchronousFetchRequest", "NSPersistentStoreRequest",
/// "NSSaveChangesRequest".
@Suite("Requests have all members that Apple documents")
struct RequestSurfaceTests {
  @Test("An untyped request can be cast to a request with a result type")
  func casting() {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
    request.fetchLimit = 3
    request.resultType = .managedObjectIDResultType
    let cast = NSFetchRequest<NSManagedObjectID>(casting: request as Any)
    #expect(cast?.entityName == "Team" && cast?.fetchLimit == 3)
    #expect(cast?.resultType == .managedObjectIDResultType)
    // The cast is the same object, as in Apple's Core Data, so changes to the cast are changes to the request.
    cast?.fetchLimit = 7
    cast?.predicate = NSPredicate(format: "name == 'A'")
    #expect(request.fetchLimit == 7)
    let predicate = request.predicate as? NSComparisonPredicate
    #expect(predicate?.predicateFormat == #"name == "A""#)
    request.fetchOffset = 2
    #expect(cast?.fetchOffset == 2)
    let copy = request.copy() as? NSFetchRequest<NSManagedObject>
    copy?.fetchLimit = 9
    #expect(copy?.fetchOffset == 2 && request.fetchLimit == 7)
    let untyped: NSPersistentStoreRequest = request
    #expect(NSFetchRequest<any NSFetchRequestResult>(casting: untyped) != nil)
    #expect(NSFetchRequest<NSManagedObject>(casting: "no request") == nil)
  }

  @Test("NSFetchRequest has Apple's members and defaults")
  func fetchRequest() throws {
    typealias Request = NSFetchRequest<NSManagedObject>
    let entity = try #require(SampleStack.makeModel().entitiesByName["Team"])
    let request = Request(entityName: "Team")
    has(Request.self, Request())
    has(String?.self, request.entityName)
    request.entity = entity
    has(NSEntityDescription?.self, request.entity)
    settable(\Request.predicate, NSPredicate?.self, in: request)
    settable(\Request.sortDescriptors, [NSSortDescriptor]?.self, in: request)
    settable(\Request.fetchLimit, Int.self, in: request)
    settable(\Request.fetchOffset, Int.self, in: request)
    settable(\Request.fetchBatchSize, Int.self, in: request)
    settable(\Request.affectedStores, [NSPersistentStore]?.self, in: request)
    settable(\Request.resultType, NSFetchRequestResultType.self, in: request)
    settable(\Request.includesSubentities, Bool.self, in: request)
    settable(\Request.includesPropertyValues, Bool.self, in: request)
    settable(\Request.includesPendingChanges, Bool.self, in: request)
    settable(\Request.returnsObjectsAsFaults, Bool.self, in: request)
    settable(\Request.relationshipKeyPathsForPrefetching, [String]?.self, in: request)
    settable(\Request.propertiesToFetch, [Any]?.self, in: request)
    settable(\Request.returnsDistinctResults, Bool.self, in: request)
    settable(\Request.propertiesToGroupBy, [Any]?.self, in: request)
    settable(\Request.havingPredicate, NSPredicate?.self, in: request)
    settable(\Request.shouldRefreshRefetchedObjects, Bool.self, in: request)
    has(NSPersistentStoreRequestType.self, request.requestType)
    has(Any.self, request.copy())
    // Sources: Apple's pages and NSFetchRequest.h.
    let plain = Request(entityName: "Team")
    #expect(plain.includesSubentities && plain.includesPendingChanges)
    #expect(plain.includesPropertyValues && plain.returnsObjectsAsFaults)
    #expect(plain.fetchLimit == 0 && plain.fetchOffset == 0 && plain.fetchBatchSize == 0)
    #expect(!plain.returnsDistinctResults && !plain.shouldRefreshRefetchedObjects)
    #expect(plain.resultType == .managedObjectResultType && plain.affectedStores == nil)
    let types: [NSFetchRequestResultType] = [
      .managedObjectResultType, .managedObjectIDResultType, .dictionaryResultType,
      .countResultType,
    ]
    #expect(types.map(\.rawValue) == [0, 1, 2, 4])
    let requests: [NSPersistentStoreRequestType] = [
      .fetchRequestType, .saveRequestType, .batchInsertRequestType, .batchUpdateRequestType,
      .batchDeleteRequestType,
    ]
    #expect(requests.map(\.rawValue) == [1, 2, 5, 6, 7])
  }

  /// Source: Apple's page "execute()" of NSFetchRequest.
  @Test("execute() runs in the context whose queue the caller uses")
  func executing() throws {
    let stack = try SampleStack()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
    try stack.context.performAndWait {
      let team = stack.context.insert("Team")
      #expect(try request.execute() == [team])
      let other = stack.newContext()
      try other.performAndWait {
        let results = try request.execute()
        #expect(results.isEmpty)
        // Runs on the outer context's queue, which waits for this one.
        let own = try stack.context.performAndWait { try request.execute() }
        #expect(own == [team])
      }
      #expect(try request.execute() == [team])
    }
    // The function runs its work on a new thread, which is on no context's queue.
    let error = #expect(throws: NSError.self) { try onSmallStack { try request.execute() } }
    #expect(error?.code == NSCoreDataError)
  }

  @Test("NSFetchRequestExpression returns results or their count, even within a predicate")
  func expression() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let teams = ["A", "B"].map { context.insert("Team", ["name": $0]) }
      let players = ["a", "b"].enumerated().map {
        context.insert("Player", ["name": $0.element, "team": teams[$0.offset]])
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
      request.predicate = NSPredicate(format: "name == 'B'")
      func make(countOnly: Bool) -> CoreData.NSExpression {
        NSFetchRequestExpression.expression(
          forFetch: NSExpression(forConstantValue: request),
          context: NSExpression(forConstantValue: context), countOnly: countOnly)
      }
      let expression = try #require(make(countOnly: false) as? NSFetchRequestExpression)
      has(CoreData.NSExpression.self, expression.requestExpression)
      has(CoreData.NSExpression.self, expression.contextExpression)
      #expect(!expression.isCountOnlyRequest)
      #expect(expression.expressionType == NSFetchRequestExpressionType)
      #expect(NSFetchRequestExpressionType.rawValue == 50)
      #expect(expression == make(countOnly: false) && expression != make(countOnly: true))
      let results = expression.expressionValue(with: nil, context: nil) as? [NSManagedObject]
      #expect(results == [teams[1]])
      #expect(make(countOnly: true).expressionValue(with: nil, context: nil) as? Int == 1)
      let fetch = NSFetchRequest<NSManagedObject>(entityName: "Player")
      fetch.predicate = NSComparisonPredicate(
        leftExpression: NSExpression(forKeyPath: "team"), rightExpression: expression,
        modifier: .direct, type: .in)
      #expect(try context.fetch(fetch) == [players[1]])
      try context.save()
      #expect(try context.fetch(fetch) == [players[1]])
    }
  }

  @Test("NSAsynchronousFetchRequest, NSSaveChangesRequest and the results have Apple's members")
  func others() throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
    let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
      has([NSManagedObject]?.self, result.finalResult)
      has((any Error)?.self, result.operationError)
      has(NSManagedObjectContext.self, result.managedObjectContext)
      has(Progress?.self, result.progress)
      has(NSAsynchronousFetchRequest<NSManagedObject>.self, result.fetchRequest)
      result.cancel()
    }
    has(NSFetchRequest<NSManagedObject>.self, asynchronous.fetchRequest)
    settable(
      \NSAsynchronousFetchRequest<NSManagedObject>.estimatedResultCount, Int.self,
      in: asynchronous)
    let save = NSSaveChangesRequest(inserted: [], updated: nil, deleted: nil, locked: nil)
    has(Set<NSManagedObject>?.self, save.insertedObjects)
    has(Set<NSManagedObject>?.self, save.updatedObjects)
    has(Set<NSManagedObject>?.self, save.deletedObjects)
    has(Set<NSManagedObject>?.self, save.lockedObjects)
    #expect(save.requestType == .saveRequestType)
  }
}
