import CoreData
import Testing

/// Requests for history that have a fetch request.
@Suite(
  "Requests over persistent history",
  .only(TestedStore.sqlKinds, "Apple: only SQLite stores keep persistent history"))
struct HistoryPredicateTests {
  /// Transaction 1 inserts two players and a captain, 2 inserts a team, and 3 updates the team and
  /// deletes a player.
  private struct Scene {
    let stack: HistoryStack
    let other: HistoryStack
    var tokens: [NSPersistentHistoryToken]
    let team: NSManagedObject

    init() throws {
      stack = try HistoryStack()
      other = try stack.another()
      tokens = [try #require(stack.token)]
      let context = stack.context
      context.name = "context1"
      context.transactionAuthor = "author1"
      let players = (0..<2).map { _ in context.insert("Player") }
      context.insert("Captain")
      try context.save()
      tokens.append(try #require(stack.token))
      team = context.insert("Team")
      try context.save()
      tokens.append(try #require(stack.token))
      context.transactionAuthor = "author2"
      team.setValue("T", forKey: "name")
      context.delete(players[1])
      try context.save()
      tokens.append(try #require(stack.token))
    }

    func transactions(
      _ format: String, _ arguments: [Any], of stack: HistoryStack? = nil
    ) throws -> [Int64] {
      let stack = stack ?? other
      let request = try #require(NSPersistentHistoryTransaction.fetchRequest)
      request.predicate = try NSPredicate(validating: format, arguments: arguments)
      let history = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: request)
      history.resultType = .transactionsOnly
      let transactions = try stack.transactions(history)
      #expect(transactions.allSatisfy { $0.changes == nil })
      return transactions.map(\.transactionNumber)
    }

    func changeRequest(_ format: String, _ arguments: [Any] = []) throws
      -> NSFetchRequest<any NSFetchRequestResult>
    {
      let request = NSFetchRequest<any NSFetchRequestResult>()
      request.entity = NSPersistentHistoryChange.entityDescription(with: other.context)
      request.predicate = try NSPredicate(validating: format, arguments: arguments)
      return request
    }
  }

  // Source: the tests of CoreDataPlus.
  @Test("Predicates over transactions can use token, author, context name and the other keys")
  func transactions() throws {
    let scene = try Scene()
    #expect(try scene.transactions("token = %@", [scene.tokens[2]]) == [2])
    #expect(try scene.transactions("token >= %@", [scene.tokens[2]]) == [2, 3])
    #expect(try scene.transactions("token <= %@", [scene.tokens[3]]) == [1, 2, 3])
    #expect(try scene.transactions("token > %@", [scene.tokens[2]]) == [3])
    #expect(try scene.transactions("token > %@", [scene.tokens[3]]) == [])
    // Apple's Core Data has rejected the token of an empty history here since macOS 15.
    #expect(try scene.transactions("token > %@", [scene.tokens[0]]) == [1, 2, 3])
    #expect(try scene.transactions("token IN %@", [[scene.tokens[1], scene.tokens[3]]]) == [1, 3])
    #expect(try scene.transactions("author = %@", ["author1"]) == [1, 2])
    #expect(try scene.transactions("author != %@", ["author1"]) == [3])
    #expect(
      try scene.transactions(
        "author = %@ AND contextName = %@", ["author1", "context1"]) == [1, 2])
    #expect(
      try scene.transactions("author = %@ AND contextName = %@", ["author1", "other"]) == [])
    #expect(
      try scene.transactions(
        "token = %@ AND author = %@", [scene.tokens[1], "author1"]) == [1])
    #expect(try scene.transactions("transactionNumber > %@", [1]) == [2, 3])
    #expect(try scene.transactions("timestamp > %@", [Date.distantPast]) == [1, 2, 3])
    #expect(try scene.transactions("timestamp > %@", [Date()]) == [])
    #expect(
      try scene.transactions("processID = %@", [ProcessInfo.processInfo.processName]).count == 3)
    #expect(try scene.transactions("bundleID = nil OR bundleID != ''", []).count == 3)
    #expect(try scene.transactions("storeID = %@", [scene.stack.store.identifier ?? ""]).count == 3)
  }

  // Source: the tests of CoreDataPlus.
  @Test("Predicates over changes can use type, entity (without subentities) and object")
  func changes() throws {
    let scene = try Scene()
    let entities = scene.other.coordinator.managedObjectModel.entitiesByName
    let player = try #require(entities["Player"])
    let team = try #require(entities["Team"])
    func changes(_ format: String, _ arguments: [Any]) throws -> [String] {
      try scene.other.changes(
        .fetchHistory(withFetch: try scene.changeRequest(format, arguments)))
    }
    #expect(
      try changes("changeType == %@", [NSPersistentHistoryChangeType.update.rawValue])
        == ["~Team p1 name"])
    #expect(
      try changes(
        "changeType == 0 AND (changedEntity == %@ || changedEntity == %@)", [player, team])
        == ["+Player p1", "+Player p2", "+Team p1"])
    #expect(try changes("changedEntity IN %@", [[team]]) == ["+Team p1", "~Team p1 name"])
    #expect(
      try changes("changedObjectID == %@", [scene.team.objectID]) == ["+Team p1", "~Team p1 name"])
    #expect(try changes("changedObjectID IN %@", [[scene.team]]).count == 2)
    #expect(try changes("changeID == 4", []) == ["+Team p1"])
    #expect(try changes("changedID == 2", []) == ["+Player p2", "-Player p2"])
    // Source: WWDC 2020 session 10017, which finds the name of the column in the entity's attributesByName.
    let entity = try #require(
      NSPersistentHistoryChange.entityDescription(with: scene.other.context))
    #expect(entity.attributesByName["changedObjectID"]?.name == "changedObjectID")
    #expect(entity.attributesByName["changedEntity"]?.name == "changedEntity")
    #expect(NSPersistentHistoryChange.entityDescription === entity)
    #expect(
      NSPersistentHistoryTransaction.entityDescription?.attributesByName.keys.sorted() == [
        "author", "bundleID", "contextName", "processID", "storeID", "timestamp", "token",
        "transactionNumber",
      ])
  }

  // Source: the tests of CoreDataPlus.
  @Test("Fetching changes by a predicate returns transactions with only the matching changes")
  func transactionsOfChanges() throws {
    let scene = try Scene()
    let request = NSPersistentHistoryChangeRequest.fetchHistory(
      withFetch: try scene.changeRequest("changeType == 1"))
    let transactions = try scene.other.transactions(request)
    #expect(transactions.map(\.token) == [scene.tokens[3]])
    #expect(transactions.first?.changes?.map(\.short) == ["~Team p1 name"])
    request.resultType = .count
    #expect(try scene.other.result(request) as? Int == 1)
  }

  // Source: the tests of CoreDataPlus.
  @Test("A request can combine a token with a fetch request")
  func afterToken() throws {
    let scene = try Scene()
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: scene.tokens[2])
    #expect(request.token == scene.tokens[2])
    request.fetchRequest = try scene.changeRequest(
      "changedObjectID == %@", [scene.team.objectID])
    // Apple's Core Data finds nothing for an object ID of another coordinator of the same file.
    #expect(try scene.other.changes(request) == ["~Team p1 name"])
    #expect(try scene.stack.changes(request) == ["~Team p1 name"])
  }

  @Test("Sort descriptors, limit and offset apply to the fetch request's entity")
  func order() throws {
    let scene = try Scene()
    let request = try #require(NSPersistentHistoryTransaction.fetchRequest)
    request.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
    func numbers() throws -> [Int64] {
      try scene.other.transactions(.fetchHistory(withFetch: request)).map(\.transactionNumber)
    }
    #expect(try numbers() == [3, 2, 1])
    request.fetchLimit = 2
    #expect(try numbers() == [3, 2])
    request.fetchOffset = 1
    #expect(try numbers() == [2, 1])
    request.sortDescriptors = nil
    #expect(try numbers() == [2, 3])
    let transactions = try scene.other.transactions(.fetchHistory(withFetch: request))
    #expect(transactions.map { $0.changes?.count } == [1, 2])

    let changes = try scene.changeRequest("TRUEPREDICATE")
    changes.sortDescriptors = [
      NSSortDescriptor(key: "changeType", ascending: false),
      NSSortDescriptor(key: "changeID", ascending: false),
    ]
    changes.fetchLimit = 3
    #expect(
      try scene.other.changes(.fetchHistory(withFetch: changes))
        == ["-Player p2", "~Team p1 name", "+Team p1"])
    changes.sortDescriptors = []
    changes.predicate = nil
    changes.fetchOffset = 2
    #expect(
      try scene.other.changes(.fetchHistory(withFetch: changes))
        == ["+Captain p3", "+Team p1", "~Team p1 name"])
  }

  @Test("An invalid history request throws an error that suggests the probable name")
  func errors() throws {
    let scene = try Scene()
    let error = failure { _ = try scene.transactions("authr = 'x'", []) }
    #expect(error?.code == NSCoreDataError)
    #expect(error?.localizedDescription.contains("\"author\"") == true)
    let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Team")
    expectError(NSCoreDataError) {
      _ = try scene.other.result(.fetchHistory(withFetch: fetch))
    }
    let plain = try SampleStack(StoreScope(kind: .memorySQLite, folder: nil))
    plain.context.performAndWait {
      expectError(NSPersistentStoreUnsupportedRequestTypeError) {
        try plain.context.execute(
          NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast))
      }
    }
  }

  @Test("A request reads only its affected stores, and a token concerns only its own stores")
  func severalStores() throws {
    let folder = try TemporaryFolder()
    let model = SampleStack.makeModel()
    let entities = model.entitiesByName
    model.setEntities(
      ["Team", "Player", "Captain", "Tag", "Locker", "Trophy"].compactMap { entities[$0] },
      forConfigurationName: "first")
    model.setEntities(
      ["Team", "Player", "Captain", "Tag", "Locker", "Trophy"].compactMap { entities[$0] },
      forConfigurationName: "second")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let stores = try ["first", "second"].map { (name: String) in
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: name, at: folder.file("\(name).sqlite"),
        options: HistoryStack.tracking)
    }
    let context = NSManagedObjectContext.confined(to: coordinator)
    for index in [0, 1, 1, 0] {
      let team = NSManagedObject(entity: try #require(entities["Team"]), insertInto: context)
      context.assign(team, to: stores[index])
      try context.save()
    }
    func storeIDs(_ request: NSPersistentHistoryChangeRequest) throws -> [String] {
      let result = try context.execute(request) as? NSPersistentHistoryResult
      return (result?.result as? [NSPersistentHistoryTransaction] ?? []).map(\.storeID)
    }
    let (a, b) = (stores[0].identifier ?? "", stores[1].identifier ?? "")
    #expect(try storeIDs(.fetchHistory(after: .distantPast)) == [a, b, b, a])
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
    request.affectedStores = [stores[1]]
    #expect(try storeIDs(request) == [b, b])
    let first = coordinator.currentPersistentHistoryToken(fromStores: [stores[0]])
    #expect(try storeIDs(.fetchHistory(after: first)) == [b, b])
    let all = coordinator.currentPersistentHistoryToken(fromStores: nil)
    #expect(try storeIDs(.fetchHistory(after: all)) == [])
    // Source: Apple's "currentPersistentHistoryToken(fromStores:)": nil or an empty array means all stores.
    #expect(coordinator.currentPersistentHistoryToken(fromStores: []) == all)
    let delete = NSPersistentHistoryChangeRequest.deleteHistory(before: first)
    _ = try context.execute(delete)
    #expect(try storeIDs(.fetchHistory(after: .distantPast)) == [b, b, a])
  }

  @Test("A token that was archived with secure coding is equal after decoding")
  func archivedToken() throws {
    let scene = try Scene()
    for token in scene.tokens {
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: token, requiringSecureCoding: true)
      let read = try NSKeyedUnarchiver.unarchivedObject(
        ofClass: NSPersistentHistoryToken.self, from: data)
      #expect(read == token)
      #expect(read?.hash == token.hash)
    }
    #expect(scene.tokens[0] != scene.tokens[1])
    #expect(NSPersistentHistoryToken.supportsSecureCoding)
  }
}
