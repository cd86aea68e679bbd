import CoreData

/// Repeatedly reads the new part of a store's history, each transaction once.
struct HistoryFollower {
  private let store: WorkloadStore
  private var token: NSPersistentHistoryToken?
  private var last: Int64 = 0
  /// The number of transactions read, by author.
  private(set) var counts: [String: Int] = [:]

  init(of store: WorkloadStore) { self.store = store }

  /// Reads the new transactions. Throws unless they follow the earlier ones without a gap.
  mutating func follow() throws {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
    let context = store.newContext()
    let transactions = try context.performAndWait {
      let result = try context.execute(request) as? NSPersistentHistoryResult
      return result?.result as? [NSPersistentHistoryTransaction] ?? []
    }
    for transaction in transactions {
      try Lost.unless(
        transaction.transactionNumber == last + 1,
        "transaction \(transaction.transactionNumber) follows \(last)")
      try Lost.unless(
        transaction.changes?.isEmpty == false,
        "transaction \(transaction.transactionNumber) has no changes")
      last = transaction.transactionNumber
      token = transaction.token
      counts[transaction.author ?? "", default: 0] += 1
    }
  }
}

extension PlainSQL {
  /// Throws unless the history has all insertions of lines in the order in which each writer made
  /// them, and the key counters equal the last keys.
  func requireHistory(ofLines expected: [String: Int]) throws {
    let lines = try texts(
      "SELECT l.ZTEXT || ' ' || l.ZNUMBER FROM ACHANGE c JOIN ZLINE l ON l.Z_PK = c.ZENTITYPK"
        + " WHERE c.ZCHANGETYPE = 0 AND c.ZENTITY = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME ="
        + " 'Line') ORDER BY c.ZTRANSACTIONID, c.Z_PK")
    var last: [String: Int] = [:]
    for line in lines {
      let words = line.split(separator: " ")
      let name = String(words[0])
      let number = Int(words[1]) ?? 0
      try Lost.unless(
        number == last[name, default: 0] + 1,
        "in the history line \(number) of \(name) follows \(last[name, default: 0])")
      last[name] = number
    }
    try Lost.unless(last == expected, "the history ends with \(last), expected \(expected)")
    for (entity, table) in [(16_001, "ACHANGE"), (16_002, "ATRANSACTION")] {
      let numbers = try texts(
        "SELECT (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity)) || ' ' || MAX(Z_PK) || ' '"
          + " || COUNT(*) FROM \(table)")
      let parts = Set(numbers.first?.split(separator: " ") ?? [])
      try Lost.unless(parts.count == 1, "counter, last key and count of \(table) are \(numbers)")
    }
  }
}
