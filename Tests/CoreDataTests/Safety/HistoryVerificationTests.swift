import Testing

@testable import CoreData

@Suite("History in the verification of stores")
struct HistoryVerificationTests {
  private let store: DamageableStore

  init() throws { store = try DamageableStore() }

  @Test("Dangling history is reported, and its key counters are repaired")
  func history() throws {
    try PlainDatabase(store.url).execute(
      """
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
        ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
        ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT);
      CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 1), (16002, 'TRANSACTION', 0, 1),
        (16003, 'TRANSACTIONSTRING', 0, 1);
      INSERT INTO ATRANSACTION (Z_PK, ZAUTHORTS) VALUES (1, 5);
      INSERT INTO ACHANGE (Z_PK, ZTRANSACTIONID) VALUES (1, 1), (2, 9);
      """)
    let result = try store.verify()
    #expect(
      result.findings.map(\.description) == [
        "1 change of the history has no transaction (key 2)",
        "1 transaction has a name (ZAUTHORTS) that does not exist (key 1)",
        "the keys of ACHANGE were allocated up to 1, but 2 is in use",
      ])
    // The transaction of a change cannot be determined. The rest can be repaired.
    #expect(result.findings.map(\.isRepairable) == [false, true, true])
    let repaired = try store.verify(repairing: true)
    #expect(!repaired.isIntact)
    #expect(repaired.findings.last?.isRepaired == true)
    #expect(
      try store.verify().findings.map(\.description) == [
        "1 change of the history has no transaction (key 2)"
      ])
  }

  @Test("A repair corrects history counters and clears a dangling name")
  func historyRepair() throws {
    let url = store.folder.file("history.sqlite")
    let stack = try HistoryStack(url)
    stack.context.transactionAuthor = "author"
    for name in ["A", "B", "C"] {
      stack.context.insert("Team", ["name": name])
      try stack.context.save()
    }
    try stack.close()
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings == [])
    let plain = try PlainDatabase(url)
    try plain.execute(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT IN (16001, 16002);"
        + "UPDATE ATRANSACTION SET ZAUTHORTS = 77 WHERE Z_PK = 2")
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    #expect(
      found.findings.map(\.description) == [
        "1 transaction has a name (ZAUTHORTS) that does not exist (key 2)",
        "the keys of ACHANGE were allocated up to 1, but 3 is in use",
        "the keys of ATRANSACTION were allocated up to 1, but 3 is in use",
      ])
    #expect(found.findings.allSatisfy { $0.isRepairable })
    let repaired = try NSPersistentStoreCoordinator.verifyPersistentStore(
      at: url, repairing: true)
    #expect(repaired.isIntact && repaired.findings.allSatisfy(\.isRepaired))
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings == [])
    #expect(
      try plain.values("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (16001, 16002)")
        == [[.integer(3)], [.integer(3)]])
    // The history continues.
    let again = try HistoryStack(url)
    again.context.insert("Team", ["name": "D"])
    try again.context.save()
    let transactions = try again.transactions()
    #expect(transactions.map(\.transactionNumber) == [1, 2, 3, 4])
    #expect(transactions.map(\.author) == ["author", nil, "author", nil])
    #expect(try again.changes().last == "+Team p4")
    try again.close()
  }
}
