import Testing

@testable import CoreData
@testable import SQLiteEngine

/// The file that a row refers to is the only copy of the row's value, whatever else the database contains.
@Suite("Files that a row refers to")
struct NamedFileTests {
  private let folder: TemporaryFolder
  private let url: URL

  private static func model() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    let portrait = SampleStack.attribute("portrait", .binaryDataAttributeType)
    portrait.allowsExternalBinaryDataStorage = true
    model.entitiesByName["Player"]?.properties.append(portrait)
    return model
  }

  private static func bytes(_ seed: UInt8) -> Data { Data(repeating: seed, count: 200_000) }

  /// Inserts two players with a file each, old enough for a repair to remove them.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    try with(url) { context in
      for (seed, name) in ["Ann", "Bob"].enumerated() {
        context.insert("Player", ["name": name, "portrait": Self.bytes(UInt8(seed + 1))])
      }
      try context.save()
    }
    for name in try files(url) { try makeOld(name) }
    #expect(try files(url).count == 2)
  }

  @discardableResult
  private func with<Result>(
    _ url: URL, _ body: (NSManagedObjectContext) throws -> Result
  ) throws -> Result {
    let (store, context) = try TestedStore.sqlite.open(Self.model(), at: url)
    defer { try? context.persistentStoreCoordinator?.remove(store) }
    return try context.performAndWait { try body(context) }
  }

  private func portraits(_ url: URL) throws -> [String: Data?] {
    try with(url) { context in
      Dictionary(
        uniqueKeysWithValues: try context.all("Player").map {
          ($0.value(forKey: "name") as? String ?? "", $0.value(forKey: "portrait") as? Data)
        })
    }
  }

  private func data(of url: URL) -> URL { ExternalStorage(store: url).folder }

  private func files(_ url: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: data(of: url).path).sorted()
  }

  private func makeOld(_ name: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -1e6)],
      ofItemAtPath: data(of: url).appendingPathComponent(name).path)
  }

  private func repair() throws -> StoreVerification {
    try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: true)
  }

  @Test(
    "A repair keeps such a file, whatever the model, the row and the cell contain",
    arguments: [
      "DROP TABLE Z_MODELCACHE", "UPDATE ZPLAYER SET Z_ENT = 99",
      "UPDATE ZPLAYER SET ZPORTRAIT = CAST(ZPORTRAIT AS TEXT)",
      // The table is recreated by hand, in a store without its model, so only the name of the column shows what it
      // contains.
      "CREATE TABLE a AS SELECT * FROM ZPLAYER; DROP TABLE ZPLAYER;"
        + " ALTER TABLE a RENAME TO ZPLAYER; DROP TABLE Z_MODELCACHE",
      // The model has no attribute for this column.
      "ALTER TABLE ZTEAM ADD COLUMN ZOLD INTEGER; INSERT INTO ZTEAM (Z_ENT, Z_OPT, ZOLD)"
        + " SELECT 1, 1, ZPORTRAIT FROM ZPLAYER; UPDATE ZPLAYER SET ZPORTRAIT = NULL",
      // The zero at the end of the cell is missing, or further bytes follow it.
      "UPDATE ZPLAYER SET ZPORTRAIT = SUBSTR(ZPORTRAIT, 1, 37)",
      "UPDATE ZPLAYER SET ZPORTRAIT = CAST(ZPORTRAIT || x'000102' AS BLOB)",
    ])
  func repaired(damage: String) throws {
    let before = try files(url)
    try PlainDatabase(url).execute(damage)
    // The repair fixes this damage, so it does write to the store.
    try PlainDatabase(url).execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Player'")
    let found = try repair()
    #expect(found.findings.contains { $0.kind == .keyCounter && $0.isRepaired })
    #expect(!found.findings.contains { $0.kind == .unusedFile }, "\(found.findings)")
    #expect(try files(url) == before)
  }

  @Test(arguments: ["file", "row"])
  func `A file is kept and read if its row spells its name in the other case`(_ lowered: String)
    throws
  {
    let name = try #require(
      try PlainDatabase(url).values(
        "SELECT CAST(SUBSTR(ZPORTRAIT, 2, 36) AS TEXT) FROM ZPLAYER WHERE ZNAME = 'Ann'")[0][0].text
    )
    let small = name.lowercased()
    #expect(small != name)
    let before = try portraits(url)
    func cell(_ name: String) -> String {
      "CAST(x'02' || CAST('\(name)' AS BLOB) || x'00' AS BLOB)"
    }
    if lowered == "file" {
      try FileManager.default.moveItem(
        at: data(of: url).appendingPathComponent(name),
        to: data(of: url).appendingPathComponent(small))
    } else {
      try PlainDatabase(url).execute(
        "UPDATE ZPLAYER SET ZPORTRAIT = \(cell(small)) WHERE ZNAME = 'Ann'")
    }
    let present = try files(url)
    #expect(try repair().findings == [])
    #expect(try files(url) == present)
    #expect(try portraits(url) == before)
    // A copy of the store has the file, too.
    let copy = folder.file("copy.sqlite")
    try NSPersistentStoreCoordinator(managedObjectModel: Self.model())
      .replacePersistentStore(
        at: copy, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
    #expect(try NSPersistentStoreCoordinator.missingFiles(ofStoreAt: copy) == [])
    #expect(try portraits(copy) == before)
    // Deleting a row keeps the file if another row has the file's name in upper case.
    try PlainDatabase(url).execute(
      "INSERT INTO ZPLAYER (Z_ENT, Z_OPT, ZNAME, ZPORTRAIT)"
        + " SELECT Z_ENT, 1, 'Twin', \(cell(name)) FROM ZPLAYER WHERE ZNAME = 'Ann'")
    try with(url) { context in
      context.delete(try #require(try context.all("Player", "name == 'Ann'").first))
      try context.save()
      context.reset()
    }
    #expect(try files(url) == present)
    #expect(try portraits(url)["Twin"] == Self.bytes(1))
  }

  @Test("A repair keeps a file that no row refers to if the store has lost its model")
  func inferred() throws {
    let unused = UUID().uuidString
    try Data("waste".utf8).write(to: data(of: url).appendingPathComponent(unused))
    try makeOld(unused)
    try PlainDatabase(url).execute("DROP TABLE Z_MODELCACHE")
    let finding = try #require(try repair().findings.first { $0.kind == .unusedFile })
    #expect(!finding.isRepairable && !finding.isRepaired)
    #expect(try files(url).contains(unused))
  }

  @Test("A repair keeps a file that a pinned context needs until the context releases it")
  func pinned() throws {
    let unused = UUID().uuidString
    try Data("waste".utf8).write(to: data(of: url).appendingPathComponent(unused))
    try makeOld(unused)
    try with(url) { context in
      try context.setQueryGenerationFrom(.current)
      #expect(try context.all("Player").count == 2)
      #expect(try repair().isIntact)
      #expect(try files(url).contains(unused))
      context.reset()
      try context.setQueryGenerationFrom(nil)
    }
    #expect(try !files(url).contains(unused))
  }

  @Test("Files are kept when a copy in the same folder deletes or changes its rows or is destroyed")
  func copies() throws {
    let (copy, before, names) = (folder.file("store.db"), try portraits(url), try files(url))
    #expect(before == ["Ann": Self.bytes(1), "Bob": Self.bytes(2)])
    try FileManager.default.copyItem(at: url, to: copy)
    try with(copy) { context in
      let players = try context.all("Player", sort: ["name"])
      context.delete(players[0])
      players[1].setValue(Self.bytes(9), forKey: "portrait")
      try context.save()
      try context.batchDelete("Player")
    }
    #expect(try portraits(url) == before)
    #expect(Set(try files(url)).isSuperset(of: names))
    try FileManager.default.removeItem(at: copy)
    try FileManager.default.copyItem(at: url, to: copy)
    try NSPersistentStoreCoordinator(managedObjectModel: Self.model())
      .destroyPersistentStore(at: copy, ofType: NSSQLiteStoreType)
    #expect(try portraits(url) == before)
    #expect(Set(try files(url)).isSuperset(of: names))
    try FileManager.default.removeItem(at: copy)
    // Without the copy, the store removes the files it releases.
    try with(url) { context in try context.batchDelete("Player", "name == 'Ann'") }
    let name = try PlainDatabase(url).values(
      "SELECT CAST(SUBSTR(ZPORTRAIT, 2, 36) AS TEXT) FROM ZPLAYER")[0][0].text
    let kept = try #require(name)
    #expect(try files(url).filter { names.contains($0) } == [kept])
    #expect(try portraits(url) == ["Bob": Self.bytes(2)])
  }

  @Test("A file that two rows refer to is removed with the second row")
  func twoRows() throws {
    try PlainDatabase(url).execute(
      "INSERT INTO ZPLAYER (Z_ENT, Z_OPT, ZNAME, ZPORTRAIT)"
        + " SELECT Z_ENT, 1, 'Twin', ZPORTRAIT FROM ZPLAYER WHERE ZNAME = 'Ann'")
    let before = try files(url)
    try with(url) { context in
      func delete(_ name: String) throws {
        context.delete(try #require(try context.all("Player", "name == %@", [name]).first))
        try context.save()
      }
      // A deletion that the context rolls back has no effect on the files.
      let ann = try #require(try context.all("Player", "name == 'Ann'").first)
      context.delete(ann)
      context.rollback()
      try delete("Ann")
      #expect(try files(url) == before)
      #expect(
        try context.all("Player", "name == 'Twin'").first?.value(forKey: "portrait") as? Data
          == Self.bytes(1))
      // Another program adds a second row for the other file while the store is open.
      try PlainDatabase(url).execute(
        "INSERT INTO ZPLAYER (Z_ENT, Z_OPT, ZNAME, ZPORTRAIT)"
          + " SELECT Z_ENT, 1, 'Other', ZPORTRAIT FROM ZPLAYER WHERE ZNAME = 'Bob'")
      try delete("Bob")
      #expect(try files(url) == before)
      try delete("Twin")
      #expect(try files(url).count == 1)
      try context.batchDelete("Player", "name == 'Other'")
      context.reset()
    }
    #expect(try files(url) == [])
  }

  @Test("Verification reports a lost file as missing, but not a file that a save has just removed")
  func removedMeanwhile() throws {
    let (url, model) = (url, Self.model())
    defer { withExtendedLifetime(model) {} }
    let layout = ModelLayout.of(model)
    let found = try SQLiteStore.withReadConnection(to: url) { connection in
      try connection.execute("BEGIN")
      let (schema, _) = try SQLiteStore.check(
        connection, url, model: layout, configuration: nil, StoreOptions())
      let lost = try #require(
        try PlainDatabase(url).values(
          "SELECT CAST(SUBSTR(ZPORTRAIT, 2, 36) AS TEXT) FROM ZPLAYER WHERE ZNAME = 'Bob'")[0][0]
          .text)
      try FileManager.default.removeItem(at: data(of: url).appendingPathComponent(lost))
      try with(url) { context in
        context.delete(try #require(try context.all("Player", "name == 'Ann'").first))
        try context.save()
      }
      #expect(try files(url) == [])
      let store = VerifiedStore(
        connection: connection, url: url, schema: schema, isModelInferred: false)
      return try ExternalFileCheck().problems(in: store).map(\.finding)
    }
    #expect(found.map(\.kind) == [.missingFile])
    #expect(found.first?.message.contains("1 value is in a file that is not in ") == true)
    #expect(found.first?.message.contains("(key 2)") == true)
  }

  /// The error of the writing thread. The test reads it only after that thread has stopped.
  private final class Writing: @unchecked Sendable { var error: (any Error)? }

  @Test("A file that disappears while the folder is listed is not a foreign file")
  func listing() throws {
    let (data, files) = (data(of: url), ExternalFiles(store: url))
    let writing = Writing()
    let (began, stop, stopped) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    Thread.detachNewThread {
      do {
        while stop.wait(timeout: .now()) == .timedOut {
          let names = (0..<50).map { _ in data.appendingPathComponent(UUID().uuidString) }
          for name in names { try Data().write(to: name) }
          began.signal()
          for name in names { try FileManager.default.removeItem(at: name) }
        }
      } catch {
        writing.error = error
        began.signal()
      }
      stopped.signal()
    }
    began.wait()
    defer {
      stop.signal()
      stopped.wait()
      #expect(writing.error == nil, "\(String(describing: writing.error))")
    }
    for _ in 0..<300 { #expect(try files.content().foreignNames == []) }
  }
}
