import FixtureSupport
import Testing

@testable import CoreData

@Suite("Verification of stores")
struct VerificationTests {
  private let store: DamageableStore
  private var folder: TemporaryFolder { store.folder }
  private var url: URL { store.url }

  init() throws { store = try DamageableStore() }

  private func verify(repairing: Bool = false) throws -> StoreVerification {
    try store.verify(repairing: repairing)
  }

  @Test("A store without errors has no findings and is not changed")
  func whole() throws {
    let before = try folder.state()
    let result = try verify()
    #expect(result.findings == [])
    #expect(result.isIntact)
    #expect(try verify(repairing: true).backup == nil)
    #expect(try folder.state() == before)
  }

  struct Damage: CustomTestStringConvertible, Sendable {
    let sql: String
    let kind: StoreFinding.Kind
    let place: String
    let count: Int
    var testDescription: String { "\(kind) \(place)" }
  }

  static let repairable = [
    Damage(
      sql: "DELETE FROM ZLOCKER", kind: .danglingReference, place: "Player.locker", count: 1),
    Damage(
      sql:
        "PRAGMA foreign_keys = 0; DELETE FROM ZTEAM WHERE Z_PK = (SELECT MIN(ZTEAM) FROM ZPLAYER)",
      kind: .danglingReference, place: "Player.team", count: 2),
    Damage(
      sql: "UPDATE ZLOCKER SET Z2_OWNER = 99", kind: .entityColumn, place: "Locker.owner", count: 1),
    Damage(
      sql: "UPDATE ZPLAYER SET ZLOCKER = NULL WHERE ZLOCKER NOT NULL", kind: .inverse,
      place: "Locker.owner", count: 1),
    Damage(
      sql: "UPDATE ZPLAYER SET ZLOCKER = 1", kind: .inverse, place: "Player.locker", count: 1),
    Damage(
      sql: "DELETE FROM ZTAG WHERE ZLABEL = 'a'", kind: .danglingPair, place: "tags", count: 2),
    Damage(
      sql: "UPDATE ZTROPHY SET Z_FOK_WINNER = 7", kind: .order, place: "Team.trophies", count: 2),
    Damage(
      sql: "UPDATE ZTROPHY SET Z_FOK_WINNER = NULL", kind: .order, place: "Team.trophies", count: 2),
    Damage(
      sql: "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT WHERE Z_NAME = 'Trophy'", kind: .parentEntity,
      place: "Trophy", count: 1),
    Damage(
      sql: "UPDATE Z_PRIMARYKEY SET Z_SUPER = 0 WHERE Z_NAME = 'Captain'", kind: .parentEntity,
      place: "Captain", count: 1),
    Damage(
      sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Trophy'", kind: .keyCounter,
      place: "Trophy", count: 1),
  ]

  @Test("Repairable damage is repaired after a backup is made", arguments: repairable)
  func repaired(_ damage: Damage) throws {
    try PlainDatabase(url).execute(damage.sql)
    let found = try verify()
    let finding = try #require(
      found.findings.first { $0.kind == damage.kind && $0.description.contains(damage.place) },
      "\(found.findings)")
    #expect(finding.count == damage.count)
    #expect(finding.isRepairable && !finding.isRepaired)
    #expect(!found.isIntact)
    #expect(found.backup == nil)
    let result = try verify(repairing: true)
    #expect(result.isIntact, "\(result.findings)")
    #expect(result.findings.allSatisfy { $0.isRepaired })
    // The repair is in the file itself.
    for name in try folder.state().keys { #expect(!name.hasSuffix("-wal"), "\(name)") }
    #expect(try verify().findings == [])
    let backup = try #require(result.backup)
    let kept = try NSPersistentStoreCoordinator.verifyPersistentStore(at: backup)
    #expect(kept.findings == found.findings)
    // Undamaged data is unchanged.
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      let names = try stack.context.all("Player", sort: ["name"]).map { $0["name"] as String? }
      #expect(names == ["Ann", "Bob"])
      stack.context.insert("Trophy", ["title": "new"])
      try stack.context.save()
    }
  }

  @Test("Members keep their order when their order numbers are repaired")
  func order() throws {
    let plain = try PlainDatabase(url)
    let before = try plain.values("SELECT ZTITLE FROM ZTROPHY ORDER BY ZWINNER, Z_FOK_WINNER")
    // The second trophy of each team has no order number. Members without one come last.
    try plain.execute("UPDATE ZTROPHY SET Z_FOK_WINNER = NULL WHERE ZTITLE = 'bowl'")
    _ = try verify(repairing: true)
    #expect(
      try plain.values("SELECT ZTITLE FROM ZTROPHY ORDER BY ZWINNER, Z_FOK_WINNER") == before)
  }

  /// Saves a player with a friend, and with clubs in an order other than that of their keys.
  private func makePairs(_ url: URL) throws {
    let store = try OpenStore(url, SampleStore.model())
    let context = store.context
    try context.performAndWait {
      var clubs: [NSManagedObject] = []
      for name in ["x", "y", "z"] {
        clubs.append(context.insert("Club", ["name": name]))
        // A save for each club assigns keys in this order.
        try context.save()
      }
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      let bob = context.insert("Captain", ["name": "Bob"])
      ann.setValue(NSSet(object: bob), forKey: "friends")
      ann.setValue(NSOrderedSet(array: [clubs[2], clubs[0], clubs[1]]), forKey: "clubs")
      bob.setValue(NSOrderedSet(object: clubs[1]), forKey: "clubs")
      try context.save()
    }
    try store.close()
  }

  /// Returns the names of a player's friends or clubs, in their order.
  private func members(_ key: String, of name: String, _ url: URL) throws -> [String] {
    let store = try OpenStore(url, SampleStore.model())
    let names = try store.context.performAndWait { () throws -> [String] in
      let player = try store.context.all("Player", "name == '\(name)'").first
      let members = player?.value(forKey: key)
      let objects = (members as? NSOrderedSet)?.array ?? (members as? NSSet)?.allObjects ?? []
      return objects.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
    }
    try store.close()
    return names
  }

  @Test("A repair adds the missing direction of a pair if the relationship is its own inverse")
  func reflexivePairs() throws {
    let url = folder.file("pairs.sqlite")
    try makePairs(url)
    let plain = try PlainDatabase(url)
    // A player who is their own friend has one pair, which stands for both directions.
    try plain.execute("INSERT INTO Z_3FRIENDS (Z_3FRIENDS, REFLEXIVE) VALUES (1, 1)")
    let query = "SELECT Z_3FRIENDS, REFLEXIVE FROM Z_3FRIENDS ORDER BY 1, 2"
    let pairs = try plain.values(query)
    #expect(pairs.map { $0.map(\.integer) } == [[1, 1], [1, 2], [2, 1]])
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings == [])
    try plain.execute("DELETE FROM Z_3FRIENDS WHERE Z_3FRIENDS = 2")
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    #expect(
      found.findings.map(\.description) == [
        "Player.friends: 1 pair exists in one direction only (keys 1 and 2)"
      ])
    #expect(found.findings.allSatisfy { $0.kind == .inverse && $0.isRepairable })
    let repaired = try NSPersistentStoreCoordinator.verifyPersistentStore(
      at: url, repairing: true)
    #expect(repaired.isIntact && repaired.findings.allSatisfy(\.isRepaired))
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings == [])
    #expect(try plain.values(query) == pairs)
    #expect(try members("friends", of: "Ann", url).sorted() == ["Ann", "Bob"])
    #expect(try members("friends", of: "Bob", url) == ["Ann"])
  }

  @Test(
    "Members of an ordered many-to-many relationship keep their order in a repair",
    arguments: [
      // The last member has no order number.
      ("Z_FOK_1CLUBS = NULL WHERE Z_1CLUBS = 2 AND Z_3PLAYERS = 1", ["z", "x", "y"]),
      // The last two members share an order number, so their keys decide, as in a fetch.
      ("Z_FOK_1CLUBS = 3072 WHERE Z_1CLUBS < 3 AND Z_3PLAYERS = 1", ["z", "x", "y"]),
      // No member has an order number, so only their keys are left to sort by.
      ("Z_FOK_1CLUBS = NULL", ["x", "y", "z"]),
    ])
  func joinOrder(_ change: String, _ expected: [String]) throws {
    let url = folder.file("pairs.sqlite")
    try makePairs(url)
    let plain = try PlainDatabase(url)
    let query =
      "SELECT Z_1CLUBS, Z_FOK_1CLUBS FROM Z_3CLUBS WHERE Z_3PLAYERS = 1 ORDER BY Z_FOK_1CLUBS"
    let order = try plain.values(query)
    try #require(order.map { $0[0].integer } == [3, 1, 2])
    #expect(order.map { $0[1].integer } == [2048, 3072, 4096])
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings == [])
    try plain.execute("UPDATE Z_3CLUBS SET \(change)")
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    let finding = try #require(found.findings.first)
    #expect(found.findings.count == 1 && finding.kind == .order && finding.isRepairable)
    #expect(finding.description.hasPrefix("Player.clubs: "), "\(finding)")
    // Bob has one club, which needs an order number as well.
    #expect(finding.count == (change.contains("WHERE") ? 1 : 2))
    let repaired = try NSPersistentStoreCoordinator.verifyPersistentStore(
      at: url, repairing: true)
    #expect(repaired.isIntact, "\(repaired.findings)")
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings == [])
    #expect(try plain.values(query).map { $0[1].integer } == [2048, 3072, 4096])
    #expect(try members("clubs", of: "Ann", url) == expected)
    #expect(try members("clubs", of: "Bob", url) == ["y"])
  }

  @Test("A context that holds a repaired row gets a conflict, not a silent change")
  func conflict() throws {
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      let player = try #require(try stack.context.all("Player", "name == 'Ann'").first)
      player["age"] = 7
      try PlainDatabase(url).execute("DELETE FROM ZLOCKER")
      _ = try verify(repairing: true)
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
    }
  }

  @Test("Findings without a known correct value are reported and not repaired")
  func unrepairable() throws {
    try PlainDatabase(url).execute(
      "UPDATE ZTAG SET ZLABEL = NULL; UPDATE ZTEAM SET Z_ENT = 77 WHERE ZNAME = 'Blues'")
    let before = try folder.state()
    let result = try verify()
    // The keys depend on the order in which the save wrote the rows.
    let texts = result.findings.map { String($0.description.prefix { $0 != "(" }) }
    #expect(
      texts.sorted() == [
        "Tag.label: 2 rows lack this value, which the model requires ",
        "Team: 1 row has an unknown entity ",
        "Trophy.winner: 2 rows refer to a missing row of Team ",
      ], "\(result.findings)")
    #expect(result.findings.filter { $0.kind == .missingValue }.allSatisfy { !$0.isRepairable })
    #expect(result.findings.filter { $0.kind == .entityNumber }.allSatisfy { !$0.isRepairable })
    #expect(try folder.state() == before)
    let repaired = try verify(repairing: true)
    #expect(!repaired.isIntact)
  }

  @Test("Duplicate values under a uniqueness constraint are reported")
  func uniqueness() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.uniquenessConstraints = [["name"]]
    let other = folder.file("unique.sqlite")
    let stack = try SampleStack(url: other, model: model)
    try stack.context.performAndWait {
      for name in ["a", "b"] { stack.context.insert("Team", ["name": name]) }
      try stack.context.save()
    }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
    try PlainDatabase(other).execute(
      "DROP INDEX Z_Team_UNIQUE_name; UPDATE ZTEAM SET ZNAME = 'a'")
    let result = try NSPersistentStoreCoordinator.verifyPersistentStore(at: other)
    #expect(
      result.findings.map(\.description) == [
        "Team.name: 1 value of name is repeated, but must be unique (keys 1 and 2)"
      ])
  }

  @Test("An incomplete index is rebuilt, and an unreadable page is reported")
  func damage() throws {
    try PlainDatabase(url).execute("PRAGMA journal_mode = DELETE")
    let index = "type, name, tbl_name, rootpage, sql"
    let row = try PlainDatabase(url).values(
      "SELECT \(index) FROM sqlite_schema WHERE name = 'ZTROPHY_ZWINNER_INDEX'")[0]
    // The row is inserted while the index is removed from the schema.
    try PlainDatabase(url).execute(
      "PRAGMA writable_schema = 1; DELETE FROM sqlite_schema WHERE name = 'ZTROPHY_ZWINNER_INDEX'")
    try PlainDatabase(url).execute(
      "INSERT INTO ZTROPHY SELECT 5, Z_ENT, 1, 1, 9000, 'new' FROM ZTROPHY LIMIT 1;"
        + "UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_NAME = 'Trophy'")
    try PlainDatabase(url).execute(
      "PRAGMA writable_schema = 1; INSERT INTO sqlite_schema (\(index)) VALUES ("
        + row.map(\.description).joined(separator: ", ") + ")")
    let found = try verify()
    #expect(found.findings.map(\.kind) == [.damage])
    #expect(found.findings.first?.isRepairable == true, "\(found.findings)")
    #expect(try verify(repairing: true).isIntact)
    #expect(try verify().findings == [])
    let table = try PlainDatabase(url).values(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'ZTROPHY'")[0][0].integer
    var bytes = try Data(contentsOf: url)
    let place = (Int(try #require(table)) - 1) * 4096
    bytes.replaceSubrange(place..<place + 100, with: Data(repeating: 0xee, count: 100))
    try bytes.write(to: url)
    let lost = try verify()
    #expect(lost.findings.map(\.kind) == [.damage])
    #expect(lost.findings.first?.isRepairable == false)
  }

  @Test("A repair replaces an unreadable model with a given one")
  func model() throws {
    try PlainDatabase(url).execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'")
    let found = try verify()
    #expect(found.findings.map(\.kind) == [.model])
    #expect(found.findings.first?.isRepairable == false)
    let result = try NSPersistentStoreCoordinator.verifyPersistentStore(
      at: url, model: SampleStack.makeModel(), repairing: true)
    #expect(result.isIntact, "\(result.findings)")
    #expect(try verify().findings == [])
  }

  @Test(
    "Versions that are not integers of 32 bits are listed, and repaired so that rows can be saved",
    arguments: ["3000000000", "-3000000000", "'x'", "1.5", "x'01'"])
  func versions(_ version: String) throws {
    let count = try PlainDatabase(url).values("SELECT 1 FROM ZPLAYER").count
    try PlainDatabase(url).execute("UPDATE ZPLAYER SET Z_OPT = \(version)")
    let finding = try #require(try verify().findings.first)
    #expect(finding.kind == .invalidValue && finding.entity == "Player" && finding.isRepairable)
    #expect(finding.count == count && finding.property == nil)
    #expect(try verify(repairing: true).isIntact)
    #expect(try verify().findings == [])
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      for player in try stack.context.all("Player") { player["name"] = "Cid" }
      try stack.context.save()
    }
    // Rows of old stores may have no version.
    try PlainDatabase(url).execute("UPDATE ZPLAYER SET Z_OPT = NULL")
    #expect(try verify().findings == [])
  }

  @Test func `A store of a configuration is verified with its entities`() throws {
    let model = SampleStack.makeModel()
    model.setEntities(
      ["Team", "Player", "Captain", "Tag", "Locker", "Trophy"].compactMap {
        model.entitiesByName[$0]
      }, forConfigurationName: "Local")
    let cloud = NSEntityDescription()
    cloud.name = "Cloud"
    model.entities.append(cloud)
    model.setEntities([cloud], forConfigurationName: "Cloud")
    for name in ["Local", "Cloud"] {
      let url = folder.file("\(name).sqlite")
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: name, at: url)
      try coordinator.remove(store)
      for given in [nil, model] {
        let result = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, model: given)
        #expect(result.findings == [])
      }
    }
  }

  @Test
  func `A copy of the model that does not match the metadata is reported, and nothing is repaired`()
    throws
  {
    let bytes = try #require(
      try PlainDatabase(url).values("SELECT Z_PLIST FROM Z_METADATA")[0][0].blob)
    var list = try #require(
      try PropertyListSerialization.propertyList(from: bytes, options: [], format: nil)
        as? [String: Any])
    var hashes = try #require(list[NSStoreModelVersionHashesKey] as? [String: Data])
    hashes["Team"] = Data(count: 32)
    list[NSStoreModelVersionHashesKey] = hashes
    let hex = try PropertyListSerialization.data(
      fromPropertyList: list, format: .binary, options: 0
    ).map { String(format: "%02x", $0) }.joined()
    try PlainDatabase(url).execute("UPDATE Z_METADATA SET Z_PLIST = x'\(hex)'")
    try PlainDatabase(url).execute("UPDATE ZPLAYER SET Z_OPT = 'x'")
    let result = try verify(repairing: true)
    #expect(result.findings.map(\.kind) == [.model, .invalidValue])
    #expect(result.findings.allSatisfy { !$0.isRepairable } && result.backup == nil)
  }

  /// The known defects: two values were made mandatory after Photos had already written rows
  /// without them; Photos deleted people, but not their pairs; and one store was copied after a row
  /// was written and before its key counter was. Stores of Photos have triggers that this library does not create, but
  /// no such indexes.
  @Test(
    "Apple's stores have no findings except their known defects",
    .enabled(if: Fixtures.areAvailable, "no fixtures"),
    arguments: StoreFixture.all)
  func fixture(_ fixture: StoreFixture) throws {
    let folder = try TemporaryFolder()
    let url = try fixture.copy(into: folder)
    let result = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    let found = Set(result.findings.map { "\($0.kind) \($0.entity ?? "").\($0.property ?? "")" })
    let late: Set = [
      "missingValue Asset.videoKeyFrameTimeScale", "missingValue Asset.videoKeyFrameValue",
    ]
    let expected: Set<String> =
      switch fixture.path {
      case "stores/osxphotos/Test-12.0.0.dev-beta/Photos.sqlite": late
      case "stores/osxphotos/Test-13.0.0/Photos.sqlite",
        "stores/osxphotos/Test-14.0.0/Photos.sqlite",
        "stores/osxphotos/Test-15.1.0_beta/Photos.sqlite":
        late.union(["danglingPair Person.mergeCandidates"])
      case "stores/osxphotos/Test-Cloud-13.1/Photos.sqlite":
        ["keyCounter InternalResource.", "keyCounter ."]
      default: []
      }
    let triggers: Set<String> = fixture.name == "Photos.sqlite" ? ["foreignCode ."] : []
    #expect(found == expected.union(triggers), "\(result.findings)")
    // The message lists only the first ten parts, but indexes before triggers, so it would list an index.
    let code = result.findings.filter { $0.kind == .foreignCode }
    #expect(code.allSatisfy { !$0.message.contains("index ") }, "\(code)")
    // Counters and pairs can be repaired. Values that were never written cannot.
    if result.findings.contains(where: { $0.kind.isProblem && $0.kind != .missingValue }) {
      let repaired = try NSPersistentStoreCoordinator.verifyPersistentStore(
        at: url, repairing: true)
      #expect(
        repaired.findings.filter { !$0.isRepaired && $0.kind.isProblem }
          .allSatisfy { $0.kind == .missingValue })
    }
  }
}
