import CoreData
import Testing

/// How persistent history behaves on Apple's systems.
///
/// A source of many tests is NSManagedObjectContextHistory_Tests.swift of CoreDataPlus, because its tests run on
/// Apple's systems.
@Suite(
  "Persistent history, as on Apple's systems",
  .only(TestedStore.sqlKinds, "Apple: only SQLite stores keep persistent history"))
struct HistoryFactTests {
  // Source: the tests of CoreDataPlus.
  @Test("A new store has a token and no transactions")
  func newStore() throws {
    let stack = try HistoryStack()
    let token = try #require(stack.token)
    let none: NSPersistentHistoryToken? = nil
    #expect(try stack.transactions(.fetchHistory(after: none)).isEmpty)
    #expect(try stack.transactions(.fetchHistory(after: token)).isEmpty)
  }

  // Source: the tests of CoreDataPlus.
  @Test(
    "Coordinators of one file have equal tokens; a fetch after a token excludes its transaction")
  func tokens() throws {
    let stack = try HistoryStack()
    let other = try stack.another()
    var tokens = [try #require(stack.token)]
    for name in ["A", "B", "C"] {
      stack.context.insert("Team", ["name": name])
      try stack.context.save()
      #expect(stack.token == other.token)
      tokens.append(try #require(other.token))
    }
    #expect(Set(tokens).count == 4)
    for (index, token) in tokens.enumerated() {
      let transactions = try other.transactions(.fetchHistory(after: token))
      #expect(transactions.map(\.token) == Array(tokens.dropFirst(index + 1)))
    }
    #expect(
      stack.coordinator.currentPersistentHistoryToken(fromStores: nil) == tokens.last)
  }

  // Source: the tests of CoreDataPlus.
  @Test("A save is one transaction, with the author and the name of its context")
  func transaction() throws {
    let stack = try HistoryStack()
    stack.context.name = "viewContext"
    stack.context.transactionAuthor = "author1"
    let before = Date()
    stack.context.insert("Player", ["name": "A"])
    stack.context.insert("Captain", ["name": "B"])
    try stack.context.save()
    let transaction = try #require(try stack.transactions().first)
    #expect(transaction.author == "author1")
    #expect(transaction.contextName == "viewContext")
    #expect(transaction.processID == ProcessInfo.processInfo.processName)
    #expect(transaction.storeID == stack.store.identifier)
    #expect(transaction.timestamp >= before && transaction.timestamp <= Date())
    #expect(transaction.transactionNumber == 1)
    #expect(transaction.changes?.map(\.short) == ["+Player p1", "+Captain p2"])
    #expect(transaction.changes?.allSatisfy { $0.transaction === transaction } == true)
  }

  // Source: the headers of CoreData.
  @Test("Updates list the changed properties; insertions and deletions list none")
  func updatedProperties() throws {
    let stack = try HistoryStack()
    let player = stack.context.insert("Player", ["name": "A", "age": 3])
    try stack.context.save()
    player.setValue("B", forKey: "name")
    player.setValue(stack.context.insert("Team"), forKey: "team")
    try stack.context.save()
    stack.context.delete(player)
    try stack.context.save()
    #expect(
      try stack.changes() == [
        "+Player p1", "+Team p1", "~Player p1 name,team", "~Team p1 players", "-Player p1",
      ])
    let changes = try stack.transactions().flatMap { $0.changes ?? [] }
    #expect(changes.map { $0.updatedProperties == nil } == [true, true, false, false, true])
  }

  // Source: the headers of CoreData.
  @Test("A tombstone has the attributes that the model preserves")
  func tombstones() throws {
    let model = SampleStack.makeModel()
    for name in ["number", "name"] {
      model.entitiesByName["Player"]?.attributesByName[name]?
        .preservesValueInHistoryOnDeletion = true
    }
    model.entitiesByName["Captain"]?.attributesByName["since"]?
      .preservesValueInHistoryOnDeletion = true
    let stack = try HistoryStack(model: model)
    let date = Date(timeIntervalSinceReferenceDate: 1000)
    let objects = [
      stack.context.insert("Player", ["name": "A", "number": 7, "age": 3]),
      stack.context.insert("Captain", ["name": "B", "since": date]), stack.context.insert("Team"),
    ]
    try stack.context.save()
    for object in objects { stack.context.delete(object) }
    try stack.context.save()
    let changes = try #require(try stack.transactions().last?.changes)
    let graves = Dictionary(
      uniqueKeysWithValues: changes.map { ($0.changedObjectID.entity.name ?? "", $0.tombstone) })
    #expect(graves["Player"] as? NSDictionary == ["name": "A", "number": 7])
    #expect(graves["Captain"] as? NSDictionary == ["name": "B", "since": date as NSDate])
    #expect(graves["Team"] as? [AnyHashable: Any] == nil)
    #expect(try stack.transactions().first?.changes?.allSatisfy { $0.tombstone == nil } == true)
  }

  // Source: public reports.
  @Test("A tombstone omits values that may be in external files")
  func tombstoneOfFiles() throws {
    // <https://mjtsai.com/blog/2019/08/21/persistent-history-tracking-in-core-data/>
    let model = SampleStack.makeModel()
    let picture = SampleStack.attribute("picture", .binaryDataAttributeType)
    picture.allowsExternalBinaryDataStorage = true
    picture.preservesValueInHistoryOnDeletion = true
    model.entitiesByName["Team"]?.properties.append(picture)
    let stack = try HistoryStack(model: model)
    let team = stack.context.insert("Team", ["picture": Data([1])])
    try stack.context.save()
    stack.context.delete(team)
    try stack.context.save()
    let change = try #require(try stack.transactions().last?.changes?.first)
    #expect(change.changeType == .delete && change.tombstone == nil)
  }

  // Source: the tests of CoreDataPlus.
  @Test("Deleting history before a transaction keeps that transaction")
  func deletion() throws {
    let stack = try HistoryStack()
    for name in ["A", "B"] {
      stack.context.insert("Team", ["name": name])
      try stack.context.save()
    }
    let transactions = try stack.transactions()
    #expect(try stack.result(.deleteHistory(before: transactions[0])) as? Bool == true)
    #expect(try stack.transactions().count == 2)
    #expect(try stack.result(.deleteHistory(before: transactions[1].token)) as? Bool == true)
    #expect(try stack.transactions().map(\.transactionNumber) == [2])
    _ = try stack.result(.deleteHistory(before: .distantFuture))
    #expect(try stack.transactions().isEmpty)
    #expect(stack.token == transactions[1].token)
  }

  /// Returns a store with three transactions, and these transactions. All their timestamps differ.
  private func threeTransactions() throws -> (HistoryStack, [NSPersistentHistoryTransaction]) {
    let stack = try HistoryStack()
    for name in ["A", "B", "C"] {
      stack.context.insert("Team", ["name": name])
      try stack.context.save()
      // The clock must advance between transactions.
      let saved = Date()
      while Date() <= saved { sched_yield() }
    }
    let transactions = try stack.transactions()
    try #require(transactions.count == 3)
    let times = transactions.map(\.timestamp)
    try #require(times[0] < times[1] && times[1] < times[2], "\(times)")
    return (stack, transactions)
  }

  private func middle(
    _ first: NSPersistentHistoryTransaction, _ second: NSPersistentHistoryTransaction
  ) -> Date {
    first.timestamp + second.timestamp.timeIntervalSince(first.timestamp) / 2
  }

  // Source: Apple's reference.
  @Test("Fetching after a transaction returns the later ones, and after nil all of them")
  func afterTransaction() throws {
    let (stack, transactions) = try threeTransactions()
    func numbers(after place: NSPersistentHistoryTransaction?) throws -> [Int64] {
      try stack.transactions(.fetchHistory(after: place)).map(\.transactionNumber)
    }
    #expect(try numbers(after: nil) == [1, 2, 3])
    #expect(try numbers(after: transactions[0]) == [2, 3])
    #expect(try numbers(after: transactions[1]) == [3])
    #expect(try numbers(after: transactions[2]) == [])
    #expect(
      try stack.changes(.fetchHistory(after: transactions[0])) == ["+Team p2", "+Team p3"])
    // A transaction marks a position in the store, whichever coordinator returned it.
    let other = try stack.another()
    #expect(
      try other.transactions(.fetchHistory(after: transactions[1])).map(\.transactionNumber) == [3])
    // The second transaction is deleted now, so a fetch after the first one would be incomplete.
    _ = try stack.result(.deleteHistory(before: transactions[2]))
    #expect(try numbers(after: transactions[1]) == [3])
    expectError(NSPersistentHistoryTokenExpiredError) { _ = try numbers(after: transactions[0]) }
  }

  // Source: Apple's reference.
  @Test("Fetching after a date returns the transactions with later timestamps")
  func afterDate() throws {
    let (stack, transactions) = try threeTransactions()
    func numbers(after date: Date) throws -> [Int64] {
      try stack.transactions(.fetchHistory(after: date)).map(\.transactionNumber)
    }
    #expect(try numbers(after: transactions[0].timestamp - 1) == [1, 2, 3])
    #expect(try numbers(after: middle(transactions[0], transactions[1])) == [2, 3])
    #expect(try numbers(after: middle(transactions[1], transactions[2])) == [3])
    #expect(try numbers(after: transactions[2].timestamp + 1) == [])
    #expect(
      try stack.changes(.fetchHistory(after: middle(transactions[0], transactions[1])))
        == ["+Team p2", "+Team p3"])
    // Apple's documentation does not say whether a transaction with exactly this timestamp is
    // included. This library excludes it, as it does for a token: a program that continues from the
    // timestamp of the last transaction it read must not receive that transaction again.
    #expect(try numbers(after: transactions[0].timestamp) == [2, 3])
    #expect(try numbers(after: transactions[2].timestamp) == [])
  }

  // Source: Apple's reference.
  @Test("Deleting history before a date keeps the transactions of that date and later")
  func deletionBeforeDate() throws {
    let (stack, transactions) = try threeTransactions()
    func numbers() throws -> [Int64] { try stack.transactions().map(\.transactionNumber) }
    func delete(before date: Date) throws -> Int? {
      let request = NSPersistentHistoryChangeRequest.deleteHistory(before: date)
      request.resultType = .count
      return try stack.result(request) as? Int
    }
    #expect(try delete(before: transactions[0].timestamp - 1) == 0)
    #expect(try delete(before: transactions[0].timestamp) == 0)
    #expect(try numbers() == [1, 2, 3])
    #expect(try delete(before: middle(transactions[0], transactions[1])) == 1)
    #expect(try numbers() == [2, 3])
    #expect(try stack.changes() == ["+Team p2", "+Team p3"])
    #expect(try delete(before: transactions[2].timestamp) == 1)
    #expect(try numbers() == [3])
    #expect(try delete(before: middle(transactions[1], transactions[2])) == 0)
    #expect(try delete(before: transactions[2].timestamp + 1) == 1)
    #expect(try numbers() == [])
    #expect(stack.token == transactions[2].token)
  }

  // Source: Apple's reference.
  @Test(
    "Deleting history before a transaction equals deleting before its token",
    arguments: [0, 1, 2])
  func deletionBeforePlace(_ index: Int) throws {
    for isToken in [false, true] {
      let (stack, transactions) = try threeTransactions()
      let request: NSPersistentHistoryChangeRequest =
        isToken
        ? .deleteHistory(before: transactions[index].token)
        : .deleteHistory(before: transactions[index])
      request.resultType = .count
      #expect(try stack.result(request) as? Int == index)
      let left = try stack.transactions().map(\.transactionNumber)
      #expect(left == Array(Int64(index + 1)...3), "by a token: \(isToken)")
    }
  }

  // Source: Apple's reference.
  @Test("A token expires when the history after it is deleted")
  func expiredToken() throws {
    let stack = try HistoryStack()
    let first = try #require(stack.token)
    for name in ["A", "B", "C"] {
      stack.context.insert("Team", ["name": name])
      try stack.context.save()
    }
    let tokens = try stack.transactions().map(\.token)
    _ = try stack.result(.deleteHistory(before: tokens[2]))
    expectError(NSPersistentHistoryTokenExpiredError) {
      _ = try stack.transactions(.fetchHistory(after: first))
    }
    expectError(NSPersistentHistoryTokenExpiredError) {
      _ = try stack.transactions(.fetchHistory(after: tokens[0]))
    }
    #expect(try stack.transactions(.fetchHistory(after: tokens[1])).count == 1)
    #expect(try stack.transactions(.fetchHistory(after: tokens[2])).isEmpty)
    _ = try stack.result(.deleteHistory(before: Date.distantFuture))
    #expect(try stack.transactions(.fetchHistory(after: tokens[2])).isEmpty)
    expectError(NSPersistentHistoryTokenExpiredError) {
      _ = try stack.transactions(.fetchHistory(after: tokens[1]))
    }
  }

  // Source: the tests of CoreDataPlus.
  @Test("A save's notification has the store's new token, but only if the store keeps history")
  func tokenOfSave() throws {
    for options in [HistoryStack.tracking, nil] {
      let stack = try HistoryStack(TestedStore.newNamedURL(), options: options)
      nonisolated(unsafe) var tokens: [NSPersistentHistoryToken?] = []
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: stack.context, queue: nil
      ) { tokens.append($0.userInfo?["newChangeToken"] as? NSPersistentHistoryToken) }
      stack.context.insert("Team")
      try stack.context.save()
      NotificationCenter.default.removeObserver(observer)
      #expect(tokens == [options == nil ? nil : stack.token])
      #expect((stack.token == nil) == (options == nil))
    }
  }

  // Source: Apple's reference.
  @Test(
    "A transaction's notification is a save notification with object IDs that can be merged")
  func notification() throws {
    let stack = try HistoryStack()
    let other = try stack.another()
    let objects = ["A", "B"].map { stack.context.insert("Team", ["name": $0]) }
    try stack.context.save()
    let seen = try other.context.all("Team", sort: ["name"])
    #expect(seen.map { $0["name"] } == ["A", "B"])
    let token = stack.token
    objects[0].setValue("A2", forKey: "name")
    stack.context.delete(objects[1])
    stack.context.insert("Team", ["name": "C"])
    try stack.context.save()
    for transaction in try other.transactions(.fetchHistory(after: token)) {
      let notification = transaction.objectIDNotification()
      #expect(notification.name == .NSManagedObjectContextDidSaveObjectIDs)
      #expect(
        (notification.userInfo?["inserted_objectIDs"] as? Set<NSManagedObjectID>)?.count == 1)
      #expect(
        notification.userInfo?["updated_objectIDs"] as? Set<NSManagedObjectID>
          == [seen[0].objectID])
      #expect(
        notification.userInfo?["deleted_objectIDs"] as? Set<NSManagedObjectID>
          == [seen[1].objectID])
      other.context.mergeChanges(fromContextDidSave: notification)
    }
    #expect(seen[0]["name"] == "A2")
    #expect(seen[1].isDeleted || seen[1].managedObjectContext == nil)
    #expect(try other.context.all("Team", "name == 'C'").count == 1)
  }

  // Source: the headers of CoreData.
  @Test("Each result type returns its kind of result, and the default is transactions with changes")
  func resultTypes() throws {
    let stack = try HistoryStack()
    let team = stack.context.insert("Team", ["name": "A"])
    try stack.context.save()
    team.setValue("B", forKey: "name")
    stack.context.insert("Player")
    try stack.context.save()
    func result(_ type: NSPersistentHistoryResultType) throws -> Any? {
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
      #expect(request.resultType == .transactionsAndChanges)
      request.resultType = type
      return try stack.result(request)
    }
    #expect(NSPersistentHistoryResultType.statusOnly.rawValue == 0)
    #expect(NSPersistentHistoryResultType.transactionsAndChanges.rawValue == 5)
    #expect(try result(.statusOnly) as? Bool == true)
    #expect(try result(.count) as? Int == 2)
    let ids = try #require(try result(.objectIDs) as? [NSManagedObjectID])
    #expect(ids.map { $0.entity.name } == ["Team", "Player"])
    let only = try #require(
      try result(.transactionsOnly) as? [NSPersistentHistoryTransaction])
    #expect(only.count == 2 && only.allSatisfy { $0.changes == nil })
    let changes = try #require(try result(.changesOnly) as? [NSPersistentHistoryChange])
    #expect(changes.map(\.short) == ["+Team p1", "+Player p1", "~Team p1 name"])
    #expect(changes.map { $0.transaction?.transactionNumber } == [1, 2, 2])
    let both = try #require(
      try result(.transactionsAndChanges) as? [NSPersistentHistoryTransaction])
    #expect(both.map { $0.changes?.count } == [1, 2])
  }

  // Source: public reports.
  @Test("Batch requests are recorded")
  func batches() throws {
    let stack = try HistoryStack()
    stack.context.transactionAuthor = "batch"
    try stack.context.batchInsert("Player", [["name": "A", "age": 1], ["name": "B", "age": 2]])
    try stack.context.batchUpdate("Player", "age == 2", ["name": "C"])
    try stack.context.batchDelete("Player", "age == 1")
    let transactions = try stack.transactions()
    #expect(transactions.map(\.author) == ["batch", "batch", "batch"])
    #expect(
      transactions.map { $0.changes?.map(\.short) ?? [] } == [
        ["+Player p1", "+Player p2"], ["~Player p2 name"], ["-Player p1"],
      ])
  }

  // Source: Apple's reference.
  @Test("A store with history is read-only without the option, until its history is deleted")
  func withoutOption() throws {
    // <https://mjtsai.com/blog/2023/08/15/turning-off-core-data-persistent-history-tracking/>
    let stack = try HistoryStack()
    stack.context.insert("Team", ["name": "A"])
    try stack.context.save()
    let plain = try HistoryStack(stack.url, options: nil)
    #expect(plain.store.isReadOnly)
    #expect(try plain.context.all("Team").count == 1)
    #expect(try plain.transactions().count == 1)
    plain.context.insert("Team")
    expectError(NSFileWriteNoPermissionError) { try plain.context.save() }
    expectError(NSFileWriteNoPermissionError) {
      _ = try plain.result(.deleteHistory(before: .distantFuture))
    }
    try plain.close()
    _ = try stack.result(.deleteHistory(before: .distantFuture))
    let again = try HistoryStack(stack.url, options: nil)
    #expect(!again.store.isReadOnly)
    again.context.insert("Team")
    try again.context.save()
    #expect(try again.transactions().isEmpty)
  }
}
