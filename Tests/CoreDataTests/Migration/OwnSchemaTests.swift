import CoreData
import Foundation
import Testing

/// Source: SQLite's documentation of ALTER TABLE (sqlite.org/lang_altertable.html). Triggers and
/// indexes are dropped with their table, and are rewritten when something is renamed.
@Suite("Triggers and indexes of the user")
struct OwnSchemaTests {
  private func filled(_ text: String, _ statements: [String]) throws -> MigratedStore {
    let store = try MigratedStore()
    try store.with(text) { context in
      context.insert("A", ["x": 1, "name": "Ann"])
      context.insert("A", ["x": 2, "name": "Bob"])
    }
    let database = try PlainDatabase(store.url)
    for statement in statements { try database.execute(statement) }
    return store
  }

  private func names(_ store: MigratedStore, _ type: String) throws -> [String] {
    try PlainDatabase(store.url).values(
      "SELECT name FROM sqlite_schema WHERE type = '\(type)' AND name GLOB 'my*' ORDER BY name"
    ).compactMap { $0[0].text }
  }

  private static let old = "A: x i16; name string; gone i16\nB: y i16"
  private static let log = "CREATE TABLE myLog (what TEXT)"

  /// The arguments cover tables that are altered, rebuilt because they lose a column, and renamed.
  @Test(
    "Triggers and indexes stay with their tables, under the tables' new names",
    arguments: [
      ("A: x i16; name string; gone i16; more i16 = 3\nB: y i16", "ZA", "ZNAME"),
      ("A: x i16; title string was name; gone i16\nB: y i16", "ZA", "ZTITLE"),
      ("A: x i16; name string\nB: y i16", "ZA", "ZNAME"),
      ("A: x i64; name string\nB: y i16", "ZA", "ZNAME"),
      ("C was A: x i16; title string was name\nB: y i16", "ZC", "ZTITLE"),
      ("B was A: x i16; x2 i16; name string\nA was B: y i16", "ZB", "ZNAME"),
      ("A: name i16 was x; x string was name; z i16\nB: y i16", "ZA", "ZX"),
    ])
  func kept(_ new: (text: String, table: String, column: String)) throws {
    let store = try filled(
      Self.old,
      [
        Self.log,
        "CREATE TRIGGER myTrigger AFTER UPDATE OF ZNAME ON ZA BEGIN"
          + " INSERT INTO myLog VALUES (old.ZNAME || '>' || new.ZNAME); END",
        "CREATE INDEX myIndex ON ZA (ZNAME)",
        "CREATE UNIQUE INDEX myUnique ON ZA (ZNAME) WHERE ZNAME <> 'x'",
        "CREATE VIEW myView AS SELECT 1",
        "CREATE TRIGGER myViewTrigger INSTEAD OF INSERT ON myView BEGIN DELETE FROM myLog; END",
      ])
    try store.with(new.text) { _ in }
    #expect(try names(store, "trigger") == ["myTrigger", "myViewTrigger"])
    #expect(try names(store, "index") == ["myIndex", "myUnique"])
    let database = try PlainDatabase(store.url)
    // The migration itself fires no triggers.
    #expect(try database.values("SELECT what FROM myLog") == [])
    try database.execute(
      "UPDATE \(new.table) SET \(new.column) = 'Eve' WHERE \(new.column) = 'Ann'")
    #expect(try database.values("SELECT what FROM myLog") == [[.text("Ann>Eve")]])
    for name in ["myIndex", "myUnique"] {
      let columns = try database.values("SELECT name FROM pragma_index_info('\(name)')")
      #expect(columns == [[.text(new.column)]])
      let tables = try database.values(
        "SELECT tbl_name FROM sqlite_schema WHERE name = '\(name)'")
      #expect(tables == [[.text(new.table)]])
    }
  }

  @Test("A migration drops only the triggers and indexes that refer to removed columns or tables")
  func lost() throws {
    let store = try filled(
      Self.old,
      [
        Self.log, "CREATE INDEX myGone ON ZA (ZGONE)", "CREATE INDEX myKept ON ZA (ZX)",
        "CREATE INDEX \"myQuoted\" ON \"ZA\" (\"ZGONE\")",
        "CREATE TRIGGER myQuotedTrigger AFTER INSERT ON ZA BEGIN"
          + " UPDATE ZA SET ZX = 5 WHERE \"ZGONE\" = 3; END",
        "CREATE TRIGGER myTextTrigger AFTER INSERT ON ZA BEGIN"
          + " INSERT INTO myLog VALUES (\"text\"); END",
        "CREATE TRIGGER myGoneTrigger AFTER INSERT ON ZA BEGIN"
          + " INSERT INTO myLog VALUES (new.ZGONE); END",
        "CREATE TRIGGER myKeptTrigger AFTER INSERT ON ZA BEGIN"
          + " INSERT INTO myLog VALUES (new.ZNAME); END",
        "CREATE TRIGGER myLost AFTER INSERT ON ZB BEGIN INSERT INTO myLog VALUES ('b'); END",
        "CREATE TRIGGER myOther AFTER INSERT ON myLog BEGIN DELETE FROM ZB; END",
        "CREATE INDEX myB ON ZB (ZY)",
      ])
    let new = "A: x i16; name string"
    try store.with(new) { _ in }
    #expect(try names(store, "index") == ["myKept"])
    // `myOther` is dropped although its table is not in the model, because it writes to a removed table.
    #expect(try names(store, "trigger") == ["myKeptTrigger", "myTextTrigger"])
    // Saving still works.
    try store.with(new, migrates: false) { $0.insert("A", ["name": "Cid"]) }
    #expect(
      try PlainDatabase(store.url).values("SELECT what FROM myLog ORDER BY what") == [
        [.text("Cid")], [.text("text")],
      ])
  }

  /// SQLite interprets an unknown quoted name as a string (sqlite.org/quirks.html).
  @Test(arguments: [false, true])
  func `An index or trigger with a column that an altered table still has is kept`(
    _ defersCleaning: Bool
  ) throws {
    let store = try filled(
      Self.old,
      [
        Self.log, "ALTER TABLE ZA ADD COLUMN extra TEXT",
        "CREATE INDEX myExtra ON ZA (extra) WHERE ZNAME = \"red\"",
        "CREATE TRIGGER myTrigger AFTER INSERT ON ZA BEGIN"
          + " INSERT INTO myLog VALUES (coalesce(new.extra, \"none\")); END",
      ] + (defersCleaning ? ["CREATE INDEX myGone ON ZA (ZGONE) WHERE ZNAME = \"red\""] : []))
    var options = MigratedStore.migrating
    if defersCleaning {
      options[NSPersistentStoreDeferredLightweightMigrationOptionKey] = NSNumber(value: true)
    }
    let new = "A: x i16; name string;\(defersCleaning ? "" : " gone i16;") more i16\nB: y i16"
    _ = try TestedStore.sqlite.open(ModelText.model(new), at: store.url, options: options)
    #expect(try names(store, "index") == ["myExtra"] + (defersCleaning ? ["myGone"] : []))
    #expect(try names(store, "trigger") == ["myTrigger"])
  }

  @Test("An index that the migrated rows violate is dropped")
  func broken() throws {
    let store = try filled(
      "A: x i16; name string; note string\nB: y i16",
      ["CREATE UNIQUE INDEX myUnique ON ZA (ZNOTE)"])
    try store.with("A: x i16; name string; note string! = none\nB: y i16") { context in
      let notes = try context.all("A").map { $0["note"] as String? }
      #expect(notes == ["none", "none"])
    }
    #expect(try names(store, "index") == [])
  }

  @Test(
    "Triggers and indexes that refer to other tables do not block the rebuilding of those tables")
  func otherTables() throws {
    let store = try filled(
      Self.old,
      [
        "CREATE TRIGGER myTrigger AFTER INSERT ON ZB BEGIN UPDATE ZA SET ZX = ZX + 1; END",
        "CREATE INDEX myIndex ON ZB (ZY)",
      ])
    let new = "A: x i16; name string\nB: number i16 was y"
    try store.with(new) { _ in }
    try store.with(new, migrates: false) { $0.insert("B", ["number": 1]) }
    try store.with(new, migrates: false) { context in
      let values = try context.all("A", sort: ["x"]).map { $0["x"] as Int16? }
      #expect(values == [2, 3])
    }
    #expect(try names(store, "index") == ["myIndex"])
  }
}
