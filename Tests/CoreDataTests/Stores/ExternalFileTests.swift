import CoreData
import Testing

/// Values in files beside the store. Sources of the column format and the folder: Apple's stores
/// and public reports (bluecrowbar.com 2011/05 on external storage). The rest is this library's
/// design.
@Suite(
  "Files of external values",
  .only([.sqlite], "Apple: only SQLite stores keep binary data outside the store"))
struct ExternalFileTests {
  private static let large = 200_000

  private func model() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    let portrait = SampleStack.attribute("portrait", .binaryDataAttributeType)
    portrait.allowsExternalBinaryDataStorage = true
    model.entitiesByName["Player"]?.properties.append(portrait)
    model.entitiesByName["Player"]?.uniquenessConstraints = [["number"]]
    return model
  }

  private func bytes(_ seed: Int, _ count: Int = large) -> Data {
    Data.pattern(count, step: 31, from: seed)
  }

  private func url(_ stack: SampleStack) throws -> URL {
    try #require(stack.coordinator.persistentStores.first?.url)
  }

  private func folder(of url: URL) -> URL {
    url.deletingLastPathComponent()
      .appendingPathComponent(".\(url.deletingPathExtension().lastPathComponent)_SUPPORT")
      .appendingPathComponent("_EXTERNAL_DATA")
  }

  private func files(_ url: URL) throws -> [String] {
    let folder = folder(of: url)
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// The file names in the column.
  private func names(_ url: URL) throws -> [String] {
    try PlainDatabase(url).values(
      "SELECT CAST(substr(ZPORTRAIT, 2, 36) AS TEXT) FROM ZPLAYER"
        + " WHERE substr(ZPORTRAIT, 1, 1) = x'02' AND substr(ZPORTRAIT, 38) = x'00'"
    ).compactMap(\.first?.text).sorted()
  }

  /// Checks that exactly one row refers to each file, and that each file that a row refers to exists.
  private func expectAgreement(_ url: URL, _ count: Int) throws {
    let (names, files) = (try names(url), try files(url))
    #expect(files == names && files.count == count)
    #expect(files.allSatisfy { UUID(uuidString: $0)?.uuidString == $0 })
  }

  @Test("External files have the permissions of their store, even in a copy of a store")
  func rights() throws {
    let stack = try SampleStack(model: model())
    let url = try url(stack)
    func rights(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
    try stack.context.performAndWait {
      stack.context.insert("Player", ["name": "Ann", "portrait": bytes(1)])
      try stack.context.save()
    }
    let file = folder(of: url).appendingPathComponent(try #require(files(url).first))
    #expect(try rights(file.path) == 0o640)
    // A replaced store keeps its permissions, and its files get the same.
    let copy = url.deletingLastPathComponent().appendingPathComponent("copy.sqlite")
    func replace() throws {
      try stack.coordinator.replacePersistentStore(
        at: copy, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
    }
    try replace()
    #expect(try rights(copy.path) == 0o640)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
    try FileManager.default.removeItem(at: folder(of: copy))
    try replace()
    #expect(try rights(copy.path) == 0o600)
    let other = folder(of: copy).appendingPathComponent(try #require(files(copy).first))
    #expect(try rights(other.path) == 0o600)
  }

  @Test("A large value is in a file that the row refers to, and a small value is in the row")
  func written() throws {
    let stack = try SampleStack(model: model())
    let context = stack.context
    try context.performAndWait {
      for (number, size) in [0, 131_072, 131_073, 1_000_000].enumerated() {
        context.insert("Player", ["number": number, "portrait": bytes(number, size)])
      }
      try context.save()
    }
    try expectAgreement(try url(stack), 2)
    let column = try PlainDatabase(try url(stack)).values(
      "SELECT length(ZPORTRAIT), hex(substr(ZPORTRAIT, 1, 1)) FROM ZPLAYER ORDER BY ZNUMBER")
    #expect(
      column == [
        [.integer(1), .text("01")], [.integer(131_073), .text("01")],
        [.integer(38), .text("02")], [.integer(38), .text("02")],
      ])
    let again = try stack.reopened().context
    try again.performAndWait {
      let players = try again.all("Player", sort: ["number"])
      #expect(
        players.map { $0["portrait"] } == [
          bytes(0, 0), bytes(1, 131_072), bytes(2, 131_073), bytes(3, 1_000_000),
        ])
      #expect(try again.all("Player", "portrait == nil").isEmpty)
      let request = NSFetchRequest<NSDictionary>(entityName: "Player")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["portrait"]
      request.predicate = NSPredicate(format: "number == 3")
      #expect(try again.fetch(request).first?["portrait"] as? Data == bytes(3, 1_000_000))
    }
  }

  @Test("Files of replaced and deleted values are removed by the save, not before")
  func removed() throws {
    let stack = try SampleStack(model: model())
    let context = stack.context
    let url = try url(stack)
    try context.performAndWait {
      let players = (0..<3).map {
        context.insert("Player", ["number": $0, "portrait": bytes($0)])
      }
      try context.save()
      let before = try files(url)
      players[0].setValue(bytes(9), forKey: "portrait")
      players[1].setValue(nil, forKey: "portrait")
      context.delete(players[2])
      context.processPendingChanges()
      #expect(try files(url) == before && before.count == 3)
      context.rollback()
      #expect(players[0]["portrait"] == bytes(0))
      players[0].setValue(bytes(9), forKey: "portrait")
      players[1].setValue(Data([1]), forKey: "portrait")
      context.delete(players[2])
      try context.save()
      #expect(players[0]["portrait"] == bytes(9) && players[1]["portrait"] == Data([1]))
      // Changing another property does not affect the file.
      let last = try files(url)
      players[0].setValue("Ann", forKey: "name")
      try context.save()
      #expect(try files(url) == last)
      #expect(players[0]["portrait"] == bytes(9))
    }
    try expectAgreement(url, 1)
  }

  @Test("A failed save adds no file and removes none")
  func failed() throws {
    let stack = try SampleStack(model: model())
    let url = try url(stack)
    let other = try stack.reopened().context
    try onQueues(of: stack.context, other) {
      let context = stack.context
      let first = context.insert("Player", ["number": 1, "portrait": bytes(1)])
      try context.save()
      let before = try files(url)
      // Another coordinator saves first.
      let twin = try #require(try other.all("Player").first)
      twin.setValue("x", forKey: "name")
      try other.save()
      first.setValue(bytes(2), forKey: "portrait")
      context.insert("Player", ["number": 2, "portrait": bytes(3)])
      let conflict = #expect(throws: NSError.self) { try context.save() }
      #expect(conflict?.code == NSManagedObjectMergeError)
      #expect(try files(url) == before)
      context.rollback()
      context.refreshAllObjects()
      context.insert("Player", ["number": 1, "portrait": bytes(4)])
      let violation = #expect(throws: NSError.self) { try context.save() }
      #expect(violation?.code == NSManagedObjectConstraintMergeError)
      #expect(try files(url) == before)
      context.rollback()
      #expect(first["portrait"] == bytes(1))
    }
  }

  @Test("A save fails if a file cannot be written, and the store remains usable")
  func unwritable() throws {
    let stack = try SampleStack(model: model())
    let url = try url(stack)
    let support = folder(of: url).deletingLastPathComponent()
    // A folder cannot be created where this file is.
    try Data().write(to: support)
    let context = stack.context
    try context.performAndWait {
      let player = context.insert("Player", ["number": 1, "portrait": bytes(1)])
      #expect(throws: NSError.self) { try context.save() }
      #expect(try PlainDatabase(url).values("SELECT 1 FROM ZPLAYER").isEmpty)
      try FileManager.default.removeItem(at: support)
      try context.save()
      #expect(player["portrait"] == bytes(1))
    }
    try expectAgreement(url, 1)
  }

  @Test("Rows in memory and pinned contexts keep their values after a save replaces these values")
  func held() throws {
    let stack = try SampleStack(model: model())
    let url = try url(stack)
    let (writer, reader) = (stack.context, stack.newContext())
    var pinned: NSManagedObjectContext? = stack.newContext()
    try writer.performAndWait {
      writer.insert("Player", ["number": 1, "portrait": bytes(1)])
      try writer.save()
    }
    try reader.performAndWait {
      let player = try #require(try reader.all("Player").first)
      #expect(player["number"] == 1)
      try pinned?.performAndWait {
        try pinned?.setQueryGenerationFrom(.current)
        #expect(try pinned?.count(for: NSFetchRequest<NSManagedObject>(entityName: "Player")) == 1)
      }
      try writer.performAndWait {
        try #require(try writer.all("Player").first).setValue(bytes(2), forKey: "portrait")
        try writer.save()
      }
      #expect(try files(url).count == 2)
      #expect(player["portrait"] == bytes(1))
      reader.refresh(player, mergeChanges: false)
      #expect(player["portrait"] == bytes(2))
    }
    // The pinned context has not read the row yet.
    #expect(try files(url).count == 2)
    try pinned?.performAndWait {
      #expect(try pinned?.all("Player").first?["portrait"] == bytes(1))
      pinned?.reset()
      try pinned?.setQueryGenerationFrom(nil)
    }
    pinned = nil
    try expectAgreement(url, 1)
  }

  @Test(
    "Batch requests write a file for each row, and remove the files of changed and deleted rows")
  func batches() throws {
    let stack = try SampleStack(model: model())
    let url = try url(stack)
    let context = stack.context
    try context.performAndWait {
      try context.batchInsert(
        "Player", (0..<4).map { ["number": $0, "portrait": bytes($0, $0 == 3 ? 5 : Self.large)] })
      try expectAgreement(url, 3)
      try context.batchUpdate("Player", "number >= 2", ["portrait": bytes(7)])
      try expectAgreement(url, 4)
      #expect(
        try context.all("Player", sort: ["number"]).map { $0["portrait"] }
          == [bytes(0), bytes(1), bytes(7), bytes(7)])
      try context.batchDelete("Player", "number == 3")
      context.reset()
      try expectAgreement(url, 3)
      #expect(try context.all("Player", "number == 2").first?["portrait"] == bytes(7))
      try context.batchUpdate("Player", "number == 2", ["portrait": Data([1])])
      context.reset()
      try expectAgreement(url, 2)
      // Depending on the merge policy, a conflicting row writes no file, or replaces the file of the
      // existing row.
      context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
      try context.batchInsert("Player", [["number": 0, "portrait": bytes(8)]])
      try expectAgreement(url, 2)
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.batchInsert("Player", [["number": 0, "portrait": bytes(9)]])
      context.reset()
      try expectAgreement(url, 2)
      #expect(try context.all("Player", "number == 0").first?["portrait"] == bytes(9))
      context.mergePolicy = NSMergePolicy.error
      #expect(throws: NSError.self) {
        try context.batchInsert(
          "Player", [["number": 50, "portrait": bytes(1)], ["number": 0, "portrait": bytes(2)]])
      }
      try expectAgreement(url, 2)
      try context.batchDelete("Player")
      context.reset()
      try expectAgreement(url, 0)
    }
  }

  @Test(
    "Destroying or repairing a store keeps the files of a store that differs only in its extension")
  func neighbors() throws {
    let folder = try TemporaryFolder()
    let model = model()
    let (a, b) = (folder.file("a.sqlite"), folder.file("a.db"))
    for (url, seed) in [(a, 1), (b, 2)] {
      let (store, context) = try TestedStore.sqlite.open(model, at: url)
      try context.performAndWait {
        context.insert("Player", ["number": seed, "portrait": bytes(seed)])
        try context.save()
      }
      try context.persistentStoreCoordinator?.remove(store)
    }
    for name in try files(a) {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -1e6)],
        ofItemAtPath: self.folder(of: a).appendingPathComponent(name).path)
    }
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: a, repairing: true)
    #expect(found.findings.isEmpty && found.backup == nil)
    #expect(try files(b).count == 2)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.destroyPersistentStore(at: a, ofType: NSSQLiteStoreType)
    #expect(try files(b).count == 1)
    let (_, context) = try TestedStore.sqlite.open(model, at: b)
    let portrait: Data? = try context.performAndWait {
      try context.all("Player").first?["portrait"]
    }
    #expect(portrait == bytes(2))
  }

  @Test("Files are copied, replaced, moved and destroyed with their store")
  func moved() throws {
    let folder = try TemporaryFolder()
    let model = model()
    let (a, b, c) = (folder.file("a.sqlite"), folder.file("b.sqlite"), folder.file("c.sqlite"))
    for (url, seeds) in [(a, [1, 2]), (b, [3])] {
      let (store, context) = try TestedStore.sqlite.open(model, at: url)
      try context.performAndWait {
        for seed in seeds { context.insert("Player", ["number": seed, "portrait": bytes(seed)]) }
        try context.save()
      }
      try context.persistentStoreCoordinator?.remove(store)
    }
    func portraits(_ context: NSManagedObjectContext) throws -> [Data?] {
      try context.performAndWait {
        try context.all("Player", sort: ["number"]).map { $0["portrait"] }
      }
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.replacePersistentStore(
      at: b, withPersistentStoreFrom: a, ofType: NSSQLiteStoreType)
    try expectAgreement(b, 2)
    try expectAgreement(a, 2)
    let (store, context) = try TestedStore.sqlite.open(model, at: b)
    #expect(try portraits(context) == [bytes(1), bytes(2)])
    let owner = try #require(context.persistentStoreCoordinator)
    let moved = try owner.migratePersistentStore(store, to: c, withType: NSSQLiteStoreType)
    #expect(try portraits(context) == [bytes(1), bytes(2)])
    try expectAgreement(c, 2)
    // Moves the objects to a store of another type, and back.
    let xml = try owner.migratePersistentStore(
      moved, to: folder.file("d.xml"), withType: NSXMLStoreType)
    context.performAndWait { context.reset() }
    #expect(try portraits(context) == [bytes(1), bytes(2)])
    let last = try owner.migratePersistentStore(
      xml, to: folder.file("e.sqlite"), withType: NSSQLiteStoreType)
    context.performAndWait { context.reset() }
    #expect(try portraits(context) == [bytes(1), bytes(2)])
    try expectAgreement(folder.file("e.sqlite"), 2)
    try owner.remove(last)
    try owner.destroyPersistentStore(at: c, ofType: NSSQLiteStoreType)
    #expect(
      !FileManager.default.fileExists(atPath: self.folder(of: c).deletingLastPathComponent().path))
  }

  @Test(
    "Rows and files that another program wrote can be read, and deleting a row removes its file")
  func foreign() throws {
    let stack = try SampleStack(model: model())
    let url = try url(stack)
    let name = "0F3D5B4E-7B44-4E0C-9C4B-7D0A1B2C3D4E"
    func hex(_ text: String) -> String { text.utf8.map { String(format: "%02x", $0) }.joined() }
    try FileManager.default.createDirectory(
      at: folder(of: url), withIntermediateDirectories: true)
    try bytes(5).write(to: folder(of: url).appendingPathComponent(name))
    let database = try PlainDatabase(url)
    let rows = [
      "x'02\(hex(name))00'", "x'01aabb'", "NULL", "x'02\(hex(UUID().uuidString))00'",
    ]
    for (key, value) in rows.enumerated() {
      try database.execute(
        "INSERT INTO ZPLAYER (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZPORTRAIT)"
          + " SELECT \(key + 1), Z_ENT, 1, \(key), \(value) FROM Z_PRIMARYKEY"
          + " WHERE Z_NAME = 'Player'")
    }
    let context = stack.context
    try context.performAndWait {
      let players = try context.all("Player", sort: ["number"])
      #expect(players.map { $0["portrait"] } == [bytes(5), Data([0xaa, 0xbb]), nil, nil])
      context.delete(players[0])
      try context.save()
    }
    #expect(try files(url) == [])
  }

  @Test("A symbolic link in the folder of external values is not followed")
  func link() throws {
    let stack = try SampleStack(model: model())
    let url = try url(stack)
    let secret = url.deletingLastPathComponent().appendingPathComponent("secret")
    try bytes(1).write(to: secret)
    let context = stack.context
    try context.performAndWait {
      context.insert("Player", ["number": 1, "portrait": bytes(2)])
      try context.save()
      context.reset()
      let file = folder(of: url).appendingPathComponent(try #require(try files(url).first))
      try FileManager.default.removeItem(at: file)
      try FileManager.default.createSymbolicLink(at: file, withDestinationURL: secret)
      #expect(try context.all("Player").first?.value(forKey: "portrait") == nil)
    }
  }
}
