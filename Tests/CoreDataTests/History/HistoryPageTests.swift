import Testing

@testable import CoreData

/// A request for a page of a long history must not read all of it.
@Suite(
  "Pages of persistent history",
  .only(TestedStore.sqlKinds, "Apple: only SQLite stores keep persistent history"))
struct HistoryPageTests {
  private func request(
    _ condition: String?, _ sorts: [NSSortDescriptor], limit: Int, offset: Int = 0
  ) throws -> NSPersistentHistoryChangeRequest {
    let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
    fetch.predicate = try condition.map { try NSPredicate(validating: $0, arguments: []) }
    fetch.sortDescriptors = sorts
    fetch.fetchLimit = limit
    fetch.fetchOffset = offset
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
    request.fetchRequest = fetch
    return request
  }

  private static func byNumber(_ ascending: Bool) -> NSSortDescriptor {
    NSSortDescriptor(key: "transactionNumber", ascending: ascending)
  }

  @Test func `A page has the transactions before a number in either order, with their changes`()
    throws
  {
    let stack = try HistoryStack()
    for _ in 0..<9 {
      stack.context.insert("Team")
      try stack.context.save()
    }
    let all = try stack.transactions().map(\.transactionNumber)
    #expect(all.count == 9)
    for ascending in [true, false] {
      for bound in [nil, all[0], all[4], all[8], Int64.max] {
        for (limit, offset) in [(0, 0), (1, 0), (3, 0), (3, 2), (20, 0)] {
          let request = try request(
            bound.map { "transactionNumber < \($0)" }, [Self.byNumber(ascending)], limit: limit,
            offset: offset)
          let found = try stack.transactions(request)
          let older = all.filter { $0 < bound ?? .max }
          let rest = (ascending ? older : older.reversed()).dropFirst(offset)
          let expected = Array(limit > 0 ? rest.prefix(limit) : rest)
          #expect(found.map(\.transactionNumber) == expected)
          #expect(found.allSatisfy { $0.changes?.count == 1 })
        }
      }
    }
  }

  @Test func `A page of changes is full even if some changes cannot be returned`() throws {
    let stack = try HistoryStack.onFile()
    for _ in 0..<9 {
      stack.context.insert("Team")
      try stack.context.save()
    }
    // Each transaction has one change, which has the same number.
    try PlainDatabase(stack.url).execute(
      "UPDATE ACHANGE SET ZENTITY = 15000 WHERE Z_PK = 1;"
        + " UPDATE ACHANGE SET ZENTITYPK = 0 WHERE Z_PK = 3;"
        + " UPDATE ACHANGE SET ZCHANGETYPE = NULL WHERE Z_PK = 4;"
        + " DELETE FROM ATRANSACTION WHERE Z_PK IN (6, 7)")
    func page(_ limit: Int, offset: Int = 0, where condition: String? = nil) throws -> [String] {
      let fetch = NSFetchRequest<any NSFetchRequestResult>()
      fetch.entity = NSPersistentHistoryChange.entityDescription(with: stack.context)
      fetch.predicate = try condition.map { try NSPredicate(validating: $0, arguments: []) }
      fetch.fetchLimit = limit
      fetch.fetchOffset = offset
      return try stack.changes(.fetchHistory(withFetch: fetch))
    }
    #expect(try page(0) == ["+Team p2", "+Team p5", "+Team p8", "+Team p9"])
    #expect(try page(1) == ["+Team p2"])
    #expect(try page(3) == ["+Team p2", "+Team p5", "+Team p8"])
    #expect(try page(2, offset: 2) == ["+Team p8", "+Team p9"])
    #expect(try page(2, offset: 4) == [])
    #expect(try page(2, where: "changeID > 2") == ["+Team p5", "+Team p8"])
  }

  @Test func `SQLite applies the limit if conditions and order concern only the numbers`() throws {
    func slice(_ condition: String?, _ sorts: [NSSortDescriptor]) throws -> HistorySlice {
      try HistoryQuery(try request(condition, sorts, limit: 5, offset: 2)).slice
    }
    let page = try slice("transactionNumber < 40", [Self.byNumber(false)])
    #expect(page.limit == 7 && page.before == 40 && page.isNewestFirst)
    let first = try slice(nil, [])
    #expect(first.limit == 7 && first.before == nil && !first.isNewestFirst)
    let author = NSSortDescriptor(key: "author", ascending: true)
    let backwards = NSSortDescriptor(key: "transactionNumber", ascending: true) { _, _ in
      .orderedSame
    }
    for (condition, sorts) in [
      ("transactionNumber < 5.5", []), ("author == \"x\"", []), ("transactionNumber > 5", []),
      ("transactionNumber < 9 AND author == nil", []), (nil, [author]), (nil, [backwards]),
      (nil, [Self.byNumber(false), author]),
    ] as [(String?, [NSSortDescriptor])] {
      #expect(try slice(condition, sorts).limit == nil)
    }
  }
}
