import Testing

@testable import CoreData

@Suite("Foreign code found by the verification of stores")
struct ForeignCodeVerificationTests {
  private let store: DamageableStore

  init() throws { store = try DamageableStore() }

  @Test("Foreign triggers, views and virtual tables are reported, and are not errors")
  func foreignCode() throws {
    try PlainDatabase(store.url).execute(
      "CREATE TRIGGER strange AFTER UPDATE ON ZTEAM BEGIN DELETE FROM ZTAG; END;"
        + "CREATE VIEW looks AS SELECT 1; CREATE VIRTUAL TABLE notes USING fts5(text)")
    let result = try store.verify()
    #expect(
      result.findings.map(\.description) == [
        "it contains parts that this library does not create for its model: virtual table notes,"
          + " trigger strange, view looks"
      ])
    #expect(result.isIntact)
  }

  @Test func `Code in tables and indexes of other programs is reported, and is not an error`()
    throws
  {
    try PlainDatabase(store.url).execute(
      "CREATE TABLE notes (a CHECK (a > 0), b AS (a + 1), c DEFAULT (1 + 1), d DEFAULT 7);"
        + "CREATE INDEX slow ON notes (abs(a)); CREATE INDEX part ON notes (a) WHERE a > 1;"
        + "CREATE INDEX plain ON notes (a, d)")
    let result = try store.verify()
    #expect(
      result.findings.map(\.description) == [
        "it contains parts that this library does not create for its model: generated column notes.b,"
          + " CHECK constraint of notes, index part, index slow, default value notes.c"
      ])
    #expect(result.isIntact)
  }

  @Test func `A fetch index that SQLite cannot contain does not prevent a verification`() throws {
    try PlainDatabase(store.url).execute(
      "CREATE INDEX part ON ZPLAYER (ZNAME) WHERE ZNAME <> 'x'")
    let model = SampleStack.makeModel()
    let name = NSFetchIndexElementDescription(propertyName: "name", collationType: .binary)
    let index = NSFetchIndexDescription(name: "byName", elements: [name])
    index.partialIndexPredicate = NSPredicate(format: "name LIKE[c] 'a*'")
    model.entitiesByName["Player"]?.indexes = [index]
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: store.url, model: model)
    #expect(found.findings.map(\.kind) == [.foreignCode], "\(found.findings)")
  }

  @Test func `Code is listed whatever its name, except what this library creates for the model`()
    throws
  {
    let model = SampleStack.makeModel()
    let name = NSFetchIndexElementDescription(propertyName: "name", collationType: .binary)
    let index = NSFetchIndexDescription(name: "byName", elements: [name])
    index.partialIndexPredicate = NSPredicate(format: "age > 20")
    let score = NSFetchIndexElementDescription(propertyName: "score", collationType: .rTree)
    model.entitiesByName["Player"]?.indexes = [
      index, NSFetchIndexDescription(name: "byScore", elements: [score]),
    ]
    let size = NSDerivedAttributeDescription()
    size.name = "size"
    size.attributeType = .integer64AttributeType
    size.derivationExpression = NSExpression(format: "players.@count")
    model.entitiesByName["Team"]?.properties.append(size)
    let url = store.folder.file("code.sqlite")
    let stack = try SampleStack(url: url, model: model)
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
    func verify() throws -> [StoreFinding] {
      try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings
    }
    #expect(try verify() == [])
    let plain = try PlainDatabase(url)
    let triggers = ["ZT_x", "Z_DA_x", "Z_RT_x"].map {
      "CREATE TRIGGER \($0) AFTER UPDATE ON ZTAG BEGIN DELETE FROM ZTEAM; END"
    }
    try plain.execute(
      (triggers + [
        "DROP INDEX Z_Player_byName",
        "CREATE INDEX Z_Player_byName ON ZPLAYER (ZNAME COLLATE BINARY ASC) WHERE ZAGE > 21",
        "CREATE INDEX Z_Player_more ON ZPLAYER (abs(ZAGE))",
      ]).joined(separator: "; "))
    #expect(
      try verify().map(\.description) == [
        "it contains parts that this library does not create for its model: index Z_Player_byName,"
          + " index Z_Player_more, trigger ZT_x, trigger Z_DA_x, trigger Z_RT_x"
      ])
  }
}
