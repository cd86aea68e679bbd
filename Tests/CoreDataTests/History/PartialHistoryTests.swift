import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Histories after another program has removed columns, indexes or counters.
@Suite struct PartialHistoryTests {
  private let folder: TemporaryFolder
  private let url: URL

  /// Saves a team by an author.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("history.sqlite")
    let stack = try HistoryStack(url)
    stack.context.transactionAuthor = "author"
    stack.context.insert("Team", ["name": "A"])
    try stack.context.save()
    try stack.close()
  }

  private func findings(repairing: Bool = false) throws -> [StoreFinding] {
    try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: repairing).findings
  }

  /// A column that is removed, with an index of it.
  struct Lost: CustomTestStringConvertible, Sendable {
    let table: String
    let column: String
    var index: String?
    /// The history that can be read without the column; nil if none can be read.
    var changes: [String]?
    var author: String?
    var testDescription: String { "\(table).\(column)" }

    func remove(from url: URL) throws {
      let database = try PlainDatabase(url)
      if let index { try database.execute("DROP INDEX \(index)") }
      try database.execute("ALTER TABLE \(table) DROP COLUMN \(column)")
    }
  }

  static let lost = [
    Lost(table: "ACHANGE", column: "ZCOLUMNS", changes: ["+Team p1"], author: "author"),
    Lost(table: "ACHANGE", column: "ZCHANGETYPE", changes: [], author: "author"),
    Lost(table: "ACHANGE", column: "ZENTITY", changes: [], author: "author"),
    Lost(table: "ACHANGE", column: "ZENTITYPK", changes: [], author: "author"),
    Lost(
      table: "ACHANGE", column: "ZTRANSACTIONID", index: "ACHANGE_ZTRANSACTIONID_INDEX"),
    Lost(
      table: "ATRANSACTION", column: "ZTIMESTAMP", index: "Z_TRANSACTION_TransactionTimestampIndex"),
    Lost(
      table: "ATRANSACTION", column: "ZPROCESSIDTS", index: "ATRANSACTION_ZPROCESSIDTS_INDEX",
      changes: ["+Team p1"], author: "author"),
    Lost(
      table: "ATRANSACTION", column: "ZAUTHORTS", index: "ATRANSACTION_ZAUTHORTS_INDEX",
      changes: ["+Team p1"]),
    Lost(
      table: "ATRANSACTIONSTRING", column: "ZNAME", index: "Z_TRANSACTIONSTRING_UNIQUE_NAME",
      changes: ["+Team p1"]),
  ]

  @Test(arguments: lost)
  func `A history without a column is listed, read as far as possible, and continued`(
    _ lost: Lost
  ) throws {
    try lost.remove(from: url)
    let found = try findings()
    #expect(
      found.contains {
        $0.kind == .history && $0.message.contains("\(lost.table) lacks \(lost.column):")
      }, "\(found)")
    if let changes = lost.changes {
      let reader = try HistoryStack(url, options: [NSReadOnlyPersistentStoreOption: true])
      #expect(try reader.changes() == changes)
      #expect(try reader.transactions().map(\.author) == [lost.author])
      try reader.close()
    }
    let writer = try HistoryStack(url)
    writer.context.insert("Team", ["name": "B"])
    try writer.context.save()
    #expect(try writer.changes().last == "+Team p2")
    try writer.close()
    #expect(try !findings().contains { $0.message.contains(" lacks ") })
  }

  @Test func `The news of a history that does not identify changed rows is incomplete`() throws {
    try Lost(table: "ACHANGE", column: "ZENTITYPK").remove(from: url)
    let reader = try HistoryStack(url, options: [NSReadOnlyPersistentStoreOption: true])
    let engine = try #require(reader.store.engine as? SQLiteStore)
    let news = try engine.withHistoryState { try $0.news(after: 0) }
    #expect(news?.isComplete == false)
    try reader.close()
  }

  @Test(arguments: [(16_001, "ACHANGE"), (16_002, "ATRANSACTION"), (16_003, "ATRANSACTIONSTRING")])
  func `A history without the counter of a table is listed, repaired and continued`(
    _ number: Int, _ table: String
  ) throws {
    let remove = "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)"
    let database = try PlainDatabase(url)
    let counter = "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)"
    let before = try database.values(counter)
    try database.execute(remove)
    let found = try findings()
    #expect(found.map(\.kind) == [.keyCounter])
    #expect(
      found.first?.message == "Z_PRIMARYKEY has no row for the history's table \(table) (\(number))"
    )
    #expect(try findings(repairing: true).map(\.isRepaired) == [true])
    #expect(try database.values(counter) == before)
    // Opening the store to record its history adds the row, too.
    try database.execute(remove)
    let writer = try HistoryStack(url)
    writer.context.insert("Team", ["name": "B"])
    try writer.context.save()
    #expect(try writer.transactions().map(\.transactionNumber) == [1, 2])
    try writer.close()
    #expect(try findings() == [])
  }

  @Test func `Missing indexes of a history are created again, unless names repeat`() throws {
    let database = try PlainDatabase(url)
    let indexes =
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name IN"
      + " ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING') ORDER BY name"
    let all = try database.values(indexes)
    #expect(all.count == 8)
    let drop = all.compactMap { $0[0].text.map { "DROP INDEX \($0);" } }.joined()
    try database.execute(drop)
    try HistoryStack(url).close()
    #expect(try database.values(indexes) == all)
    try database.execute(
      "\(drop) INSERT INTO ATRANSACTIONSTRING (Z_ENT, ZNAME) VALUES (16003, 'author')")
    try HistoryStack(url).close()
    let unique = PlainValue.text("Z_TRANSACTIONSTRING_UNIQUE_NAME")
    #expect(try database.values(indexes) == all.filter { $0 != [unique] })
  }
}
