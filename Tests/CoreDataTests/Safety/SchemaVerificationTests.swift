import FixtureSupport
import Foundation
import Testing

@testable import CoreData

/// Stores that can be read, except for missing parts, and that reject every save.
@Suite("Verification of stores with missing parts")
struct SchemaVerificationTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait {
      let team = store.context.insert("Team", ["name": "Reds"])
      for name in ["Ann", "Bob"] {
        store.context.insert("Player", ["name": name]).setValue(team, forKey: "team")
      }
      store.context.insert("Captain", ["name": "Cid"]).setValue(team, forKey: "team")
      store.context.insert("Club", ["name": "Harbour"])
      try store.context.save()
    }
    try store.close()
  }

  private func verify(repairing: Bool = false) throws -> StoreVerification {
    try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: repairing)
  }

  struct Loss: CustomTestStringConvertible, Sendable {
    let sql: String
    let kind: StoreFinding.Kind
    let text: String
    var testDescription: String { sql }
  }

  static let losses = [
    Loss(
      sql: "DROP TABLE ZCLUB", kind: .schema,
      text: "Club: the table ZCLUB is missing: the store can only be read"),
    Loss(
      sql: "ALTER TABLE ZPLAYER DROP COLUMN ZHEIGHT", kind: .schema,
      text: "Player.height: the column ZPLAYER.ZHEIGHT is missing: the store can only be read"),
    Loss(
      sql: "DROP TABLE Z_3FRIENDS", kind: .schema,
      text: "Player.friends: the table Z_3FRIENDS is missing: the store can only be read"),
    Loss(
      sql: "ALTER TABLE ZCLUB DROP COLUMN Z_OPT", kind: .schema,
      text: "Club: the column ZCLUB.Z_OPT is missing: the store can only be read"),
    Loss(
      sql: "ALTER TABLE ZPLAYER RENAME COLUMN Z_ENT TO LOST", kind: .schema,
      text: "Player: the column ZPLAYER.Z_ENT is missing: the store can only be read"),
    Loss(
      sql: "ALTER TABLE ZCLUB RENAME COLUMN Z_PK TO LOST", kind: .schema,
      text: "Club: the column ZCLUB.Z_PK is missing: the store can only be read"),
    Loss(
      sql: "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Captain'", kind: .keyCounter,
      text: "Captain: Z_PRIMARYKEY has no row for it: the store can only be read"),
    Loss(
      sql: "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Club'", kind: .keyCounter,
      text: "Club: Z_PRIMARYKEY has no row for it: the store can only be read"),
  ]

  @Test(arguments: losses)
  func `Missing parts are listed, and nothing is repaired in a read-only store`(
    _ loss: Loss
  ) throws {
    #expect(try verify().findings == [])
    try PlainDatabase(url).execute(loss.sql)
    try expectLoss(loss.kind, loss.text)
  }

  private func expectLoss(
    _ kind: StoreFinding.Kind, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try verify().findings
    #expect(found.map(\.kind) == [kind], sourceLocation: sourceLocation)
    #expect(found.map(\.description) == [text], sourceLocation: sourceLocation)
    #expect(found.allSatisfy { !$0.isRepairable && $0.kind.isProblem })
    // In a store without missing parts, this counter could be repaired.
    try PlainDatabase(url).execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Team'")
    let before = try folder.state()
    let result = try verify(repairing: true)
    #expect(result.findings.count == 2 && result.backup == nil, sourceLocation: sourceLocation)
    #expect(result.findings.allSatisfy { !$0.isRepairable && !$0.isRepaired })
    #expect(try folder.state() == before, sourceLocation: sourceLocation)
  }

  @Test func `Metadata without version hashes is listed`() throws {
    let bytes = try #require(
      try PlainDatabase(url).values("SELECT Z_PLIST FROM Z_METADATA")[0][0].blob)
    var list = try #require(
      try PropertyListSerialization.propertyList(from: bytes, options: [], format: nil)
        as? [String: Any])
    list[NSStoreModelVersionHashesKey] = nil
    let changed = try PropertyListSerialization.data(
      fromPropertyList: list, format: .binary, options: 0)
    let hex = changed.map { String(format: "%02x", $0) }.joined()
    try PlainDatabase(url).execute("UPDATE Z_METADATA SET Z_PLIST = x'\(hex)'")
    try expectLoss(
      .metadata,
      "its metadata has no version hashes (NSStoreModelVersionHashes), so no model fits it:"
        + " the store can only be read")
  }

  @Test(arguments: ["9223372036854775807", "9223372036854775806"])
  func `A key counter at its maximum is listed and not changed`(_ last: String) throws {
    try PlainDatabase(url).execute(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = \(last) WHERE Z_NAME = 'Club'")
    let text =
      "Club: the keys of ZCLUB were allocated up to \(last) (Z_PRIMARYKEY.Z_MAX), and none are left:"
      + " no row can be added"
    #expect(try verify().findings.map(\.description) == [text])
    let result = try verify(repairing: true)
    #expect(!result.isIntact && result.backup == nil)
    #expect(result.findings.map(\.isRepairable) == [false])
  }

  @Test func `A row with the last possible key is listed, and does not advance the counter`() throws
  {
    let plain = try PlainDatabase(url)
    try plain.execute("UPDATE ZCLUB SET Z_PK = 9223372036854775807")
    let text =
      "Club: a row of ZCLUB has the key 9223372036854775807, after which no keys are left:"
      + " no row can be added"
    #expect(try verify().findings.map(\.description) == [text])
    #expect(try verify(repairing: true).findings.map(\.isRepaired) == [false])
    // Everything else is repaired.
    try plain.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Team'")
    let result = try verify(repairing: true)
    #expect(!result.isIntact)
    #expect(result.findings.filter(\.isRepaired).map(\.entity) == ["Team"])
    #expect(
      try plain.values("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Club'")[0][0].integer == 1)
  }

  @Test func `A history without its tables is listed`() throws {
    let url = folder.file("history.sqlite")
    let stack = try HistoryStack(url)
    stack.context.insert("Team", ["name": "A"])
    try stack.context.save()
    try stack.close()
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings == [])
    try PlainDatabase(url).execute("DROP TABLE ACHANGE")
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings
    #expect(found.map(\.kind) == [.history])
    #expect(
      found.first?.message.hasPrefix(
        "the table ACHANGE is missing, although its keys were allocated up to 1") == true)
  }
}
