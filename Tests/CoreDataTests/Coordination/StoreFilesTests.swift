import CoreData
import Testing

@Suite struct StoreFilesTests {
  private func store(
    _ kind: TestedStore, at url: URL, team: String
  ) throws -> (store: NSPersistentStore, context: NSManagedObjectContext) {
    let opened = try kind.open(SampleStack.makeModel(), at: url)
    try opened.context.performAndWait {
      opened.context.insert("Team", ["name": team])
      try opened.context.save()
    }
    return opened
  }

  private func teams(_ kind: TestedStore, at url: URL) throws -> [String] {
    let opened = try kind.open(SampleStack.makeModel(), at: url)
    return try opened.context.performAndWait {
      try opened.context.all("Team", sort: ["name"]).compactMap { $0["name"] }
    }
  }

  private let empty = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())

  @Test("A destroyed store is removed; a SQLite file stays, empty, and can be used again")
  func destroying() throws {
    try onEveryStore(TestedStore.allCases.filter(\.isFile)) { kind, folder in
      let url = kind.url(in: folder)
      let (opened, context) = try store(kind, at: url, team: "Reds")
      let coordinator = try #require(context.persistentStoreCoordinator)
      try coordinator.destroyPersistentStore(at: url, ofType: kind.type)
      #expect(coordinator.persistentStores.isEmpty, "the open store was removed first")
      #expect(opened.url == url)
      // Source: tests of CoreDataPlus. The files of a destroyed SQLite store remain, but are empty.
      #expect(FileManager.default.fileExists(atPath: url.path) == (kind == .sqlite))
      #expect(try teams(kind, at: url) == [])
    }
  }

  @Test(
    "A SQLite file with several hard links is neither replaced nor destroyed, and no file replaces itself"
  )
  func hardLinks() throws {
    let folder = try TemporaryFolder()
    let (kept, link, source) = (
      folder.file("kept.sqlite"), folder.file("link.sqlite"), folder.file("source.sqlite")
    )
    for (url, team) in [(kept, "Kept"), (source, "New")] {
      let (opened, context) = try store(.sqlite, at: url, team: team)
      try context.persistentStoreCoordinator?.remove(opened)
    }
    try FileManager.default.linkItem(at: kept, to: link)
    func replace(_ destination: URL, with source: URL) throws {
      try empty.replacePersistentStore(
        at: destination, withPersistentStoreFrom: source, ofType: NSSQLiteStoreType)
    }
    let replaced = #expect(throws: NSError.self) { try replace(link, with: source) }
    #expect(replaced?.localizedDescription.contains("2 names (hard links)") == true)
    let same = #expect(throws: NSError.self) { try replace(link, with: kept) }
    #expect(same?.localizedDescription.contains("cannot replace itself") == true)
    #expect(throws: NSError.self) {
      try empty.destroyPersistentStore(at: link, ofType: NSSQLiteStoreType)
    }
    #expect(try teams(.sqlite, at: kept) == ["Kept"])
    // After the link is removed, replacing the store at its URL does not change the other file.
    try FileManager.default.removeItem(at: link)
    try replace(link, with: source)
    #expect(try teams(.sqlite, at: link) == ["New"])
    #expect(try teams(.sqlite, at: kept) == ["Kept"])
    let other = folder.file("other.sqlite")
    try FileManager.default.linkItem(at: kept, to: other)
    #expect(throws: Never.self) {
      try empty.destroyPersistentStore(
        at: other, ofType: NSSQLiteStoreType, options: [NSPersistentStoreForceDestroyOption: true])
    }
  }

  @Test("A missing store, or a store in memory, cannot be destroyed")
  func destroyingNothing() throws {
    let folder = try TemporaryFolder()
    for type in [NSXMLStoreType, NSBinaryStoreType] {
      let error = #expect(throws: NSError.self) {
        try empty.destroyPersistentStore(at: folder.file("none"), ofType: type)
      }
      #expect(error?.code == CocoaError.Code.fileReadNoSuchFile.rawValue)
    }
    #expect(throws: NSError.self) {
      try empty.destroyPersistentStore(at: URL(fileURLWithPath: "/dev/null"), type: .sqlite)
    }
    let elsewhere = folder.file("no/folder/store.sqlite")
    #expect(throws: NSError.self) { try empty.destroyPersistentStore(at: elsewhere, type: .sqlite) }
  }

  // Source: CareKit. `OCKStore.delete()` removes these three files after the store was destroyed, and its test
  // `testDeleteStore` expects that nothing is thrown.
  @Test("Destroying an open SQLite store leaves empty files, with the permissions of the database")
  func filesAfterDestroying() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let (opened, context) = try store(.sqlite, at: url, team: "Reds")
    let permissions = [FileAttributeKey.posixPermissions: 0o600]
    try FileManager.default.setAttributes(permissions, ofItemAtPath: url.path)
    let coordinator = try #require(context.persistentStoreCoordinator)
    try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
    #expect(!coordinator.persistentStores.contains(opened))
    for suffix in ["", "-wal", "-shm"] {
      let file = url.path + suffix
      let found = try FileManager.default.attributesOfItem(atPath: file)
      #expect(found[.size] as? Int == 0, "\(suffix)")
      #expect(found[.posixPermissions] as? Int == 0o600, "\(suffix)")
    }
    // The emptied files do no harm to a new store.
    #expect(try teams(.sqlite, at: url) == [])
    try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: url.path + suffix)
    }
  }

  // Source: CoreDataPlus destroys a store that does not exist and then removes the file.
  @Test("Destroying a missing SQLite store creates an empty file")
  func destroyingAMissingFile() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("none.sqlite")
    try empty.destroyPersistentStore(at: url, type: .sqlite)
    #expect(try Data(contentsOf: url).isEmpty)
    let context = try store(.sqlite, at: url, team: "Reds").context
    #expect(try context.performAndWait { try context.all("Team").count } == 1)
  }

  @Test(
    "Destroying a SQLite store empties it for other coordinators as well, and it can be used again")
  func destroyingUnderOthers() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let (_, context) = try store(.sqlite, at: url, team: "Reds")
    try empty.destroyPersistentStore(at: url, type: .sqlite)
    context.performAndWait {
      context.reset()
      // The file is not damaged, but has no tables.
      let error = #expect(throws: NSError.self) { try context.all("Team") }
      // Source: CoreDataErrors.h: 134020 is for a missing table; SQLite's error is in the user info.
      #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
      #expect(error?.userInfo[NSSQLiteErrorDomain] as? Int == 1)
      #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == NSSQLiteErrorDomain)
    }
    #expect(try teams(.sqlite, at: url) == [])
    _ = try store(.sqlite, at: url, team: "Blues")
    #expect(try teams(.sqlite, at: url) == ["Blues"])
  }

  @Test("Replacing copies the whole source to the destination, including its log")
  func replacing() throws {
    try onEveryStore(TestedStore.allCases.filter(\.isFile)) { kind, folder in
      let source = kind.url(in: folder, "source")
      let target = kind.url(in: folder, "target")
      // Keep the source open, so that a SQLite store's rows are in its log.
      let (kept, _) = try store(kind, at: source, team: "Reds")
      let (_, context) = try store(kind, at: target, team: "Blues")
      let coordinator = try #require(context.persistentStoreCoordinator)
      try coordinator.replacePersistentStore(
        at: target, withPersistentStoreFrom: source, ofType: kind.type)
      // Source: public reports. The open store is removed from the coordinator.
      #expect(coordinator.persistentStores.isEmpty)
      #expect(try teams(kind, at: target) == ["Reds"])
      let absent = kind.url(in: folder, "absent")
      try empty.replacePersistentStore(
        at: absent, withPersistentStoreFrom: source, type: .init(rawValue: kind.type))
      #expect(try teams(kind, at: absent) == ["Reds"])
      #expect(
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.type, at: absent)[
          NSStoreUUIDKey] as? String == kept.identifier)
    }
  }

  @Test("A failed replacement leaves the destination unchanged")
  func failedReplacement() throws {
    try onEveryStore(TestedStore.allCases.filter(\.isFile)) { kind, folder in
      let target = kind.url(in: folder, "target")
      _ = try store(kind, at: target, team: "Blues")
      let missing = kind.url(in: folder, "missing")
      let damaged = kind.url(in: folder, "damaged")
      try Data("no store".utf8).write(to: damaged)
      for source in [missing, damaged] {
        #expect(throws: NSError.self) {
          try empty.replacePersistentStore(
            at: target, withPersistentStoreFrom: source, ofType: kind.type)
        }
        #expect(try teams(kind, at: target) == ["Blues"])
      }
      let source = kind.url(in: folder, "source")
      _ = try store(kind, at: source, team: "Reds")
      let nowhere = folder.file("no folder").appendingPathComponent("x")
      #expect(throws: NSError.self) {
        try empty.replacePersistentStore(
          at: nowhere, withPersistentStoreFrom: source, ofType: kind.type)
      }
    }
  }

  @Test("A store that cannot be replaced or destroyed stays open, with its objects and metadata")
  func openAfterFailure() throws {
    try onEveryStore(TestedStore.allCases.filter(\.isFile)) { kind, folder in
      let (url, source) = (kind.url(in: folder, "target"), kind.url(in: folder, "source"))
      let (opened, context) = try store(kind, at: url, team: "Blues")
      _ = try store(kind, at: source, team: "Reds")
      let coordinator = try #require(context.persistentStoreCoordinator)
      let metadata = try #require(opened.metadata)
      let uuid = UUID().uuidString
      coordinator.setMetadata(
        metadata.merging(["mood": "calm", NSStoreUUIDKey: uuid]) { $1 }, for: opened)
      let link = folder.file("link")
      // A hard link makes both operations fail for SQLite. For the other types, the file is not a SQLite store, and the
      // source is missing.
      if kind == .sqlite { try FileManager.default.linkItem(at: url, to: link) }
      let missing = kind.url(in: folder, "missing")
      #expect(throws: NSError.self) {
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
      }
      #expect(throws: NSError.self) {
        try coordinator.replacePersistentStore(
          at: url, withPersistentStoreFrom: kind == .sqlite ? source : missing, ofType: kind.type)
      }
      if kind == .sqlite { try FileManager.default.removeItem(at: link) }
      #expect(coordinator.persistentStores == [opened])
      #expect(opened.metadata["mood"] as? String == "calm")
      #expect(opened.metadata[NSStoreUUIDKey] as? String == uuid)
      try context.performAndWait {
        let team = try #require(try context.all("Team").first)
        context.refresh(team, mergeChanges: false)
        #expect(team["name"] == "Blues")
        team["name"] = "Greens"
        try context.save()
      }
      #expect(try teams(kind, at: url) == ["Greens"])
      let saved = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: kind.type, at: url)
      #expect(saved["mood"] as? String == "calm")
      #expect(saved[NSStoreUUIDKey] as? String == uuid)
    }
  }

  @Test("A store that stays open has its unsaved metadata and that of another writer")
  func openAfterFailureWithForeignMetadata() throws {
    try onEveryStore(TestedStore.allCases.filter(\.isFile)) { kind, folder in
      let url = kind.url(in: folder)
      let (opened, context) = try store(kind, at: url, team: "Blues")
      let coordinator = try #require(context.persistentStoreCoordinator)
      func save(_ team: String) throws {
        try context.performAndWait {
          context.insert("Team", ["name": team])
          try context.save()
        }
      }
      let metadata = try #require(opened.metadata)
      let old: [String: Any] = ["mood": "calm", "rank": "1", "gone": "yes"]
      coordinator.setMetadata(metadata.merging(old) { $1 }, for: opened)
      try save("Reds")
      var new = try #require(opened.metadata)
      new["mood"] = "glad"
      new["gone"] = nil
      coordinator.setMetadata(new, for: opened)
      // Another writer changes a key and adds one.
      var foreign = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: kind.type, at: url)
      foreign["rank"] = "2"
      foreign["season"] = "spring"
      try NSPersistentStoreCoordinator.setMetadata(
        foreign, forPersistentStoreOfType: kind.type, at: url)
      // A hard link makes the operation fail for SQLite. For the other types, the file is not a SQLite store.
      let link = folder.file("link")
      if kind == .sqlite { try FileManager.default.linkItem(at: url, to: link) }
      #expect(throws: NSError.self) {
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
      }
      if kind == .sqlite { try FileManager.default.removeItem(at: link) }
      #expect(coordinator.persistentStores == [opened])
      func program(_ metadata: [String: Any]) -> [String: String] {
        metadata.filter { ["mood", "rank", "gone", "season"].contains($0.key) }
          .compactMapValues { $0 as? String }
      }
      let expected = ["mood": "glad", "rank": "2", "season": "spring"]
      let staged = try #require(opened.metadata)
      #expect(program(staged) == expected, "\(kind)")
      try save("Greens")
      let saved = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: kind.type, at: url)
      #expect(program(saved) == expected, "\(kind)")
    }
  }

  @Test(
    "A read-only store with unreadable metadata stays open if it cannot be replaced or destroyed",
    arguments: [
      "UPDATE Z_METADATA SET Z_PLIST = NULL", "UPDATE Z_METADATA SET Z_UUID = NULL",
      "DROP TABLE Z_METADATA",
    ])
  func openAfterFailureWithoutMetadata(_ damage: String) throws {
    let folder = try TemporaryFolder()
    let (url, source) = (folder.file("target.sqlite"), folder.file("source.sqlite"))
    for (url, team) in [(url, "Blues"), (source, "Reds")] {
      let (made, context) = try store(.sqlite, at: url, team: team)
      try context.persistentStoreCoordinator?.remove(made)
    }
    try PlainDatabase(url).execute(damage)
    let (opened, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: url, options: [NSReadOnlyPersistentStoreOption: true])
    let coordinator = try #require(context.persistentStoreCoordinator)
    let identifier = opened.identifier
    // A file with a second name is neither destroyed nor replaced.
    try FileManager.default.linkItem(at: url, to: folder.file("link.sqlite"))
    #expect(throws: NSError.self) {
      try coordinator.destroyPersistentStore(at: url, type: .sqlite)
    }
    #expect(coordinator.persistentStores == [opened])
    #expect(throws: NSError.self) {
      try coordinator.replacePersistentStore(
        at: url, withPersistentStoreFrom: source, type: .sqlite)
    }
    #expect(coordinator.persistentStores == [opened])
    #expect(opened.isReadOnly && opened.identifier == identifier)
    try context.performAndWait { () throws in
      #expect(try context.all("Team").map { $0["name"] } == ["Blues"])
    }
  }

  @Test("A locked SQLite file is not replaced, and its external files are restored")
  func lockedReplacement() throws {
    let folder = try TemporaryFolder()
    let (source, target) = (folder.file("source.sqlite"), folder.file("target.sqlite"))
    _ = try store(.sqlite, at: source, team: "Reds")
    _ = try store(.sqlite, at: target, team: "Blues")
    let sourceFiles = folder.file(".source_SUPPORT/_EXTERNAL_DATA")
    let targetFiles = folder.file(".target_SUPPORT/_EXTERNAL_DATA")
    // Only files whose names are UUIDs are values of a store.
    let (new, old) = (UUID().uuidString, UUID().uuidString)
    for (files, name) in [(sourceFiles, new), (targetFiles, old)] {
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
      try Data(name.utf8).write(to: files.appendingPathComponent(name))
    }
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: targetFiles.path)
    }
    let lock = try PlainDatabase(target)
    try lock.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: NSError.self) {
      try empty.replacePersistentStore(
        at: target, destinationOptions: [NSPersistentStoreTimeoutOption: 0.2],
        withPersistentStoreFrom: source, type: .sqlite)
    }
    #expect(error?.code == NSPersistentStoreTimeoutError)
    try lock.execute("ROLLBACK")
    #expect(try names() == [old])
    #expect(try teams(.sqlite, at: target) == ["Blues"])
    // A replacement fails if there is a file at the path of the folder for external files.
    let third = folder.file("third.sqlite")
    _ = try store(.sqlite, at: third, team: "Greens")
    try Data().write(to: folder.file(".third_SUPPORT"))
    #expect(throws: NSError.self) {
      try empty.replacePersistentStore(at: third, withPersistentStoreFrom: source, type: .sqlite)
    }
    #expect(try teams(.sqlite, at: third) == ["Greens"])
    try empty.replacePersistentStore(at: target, withPersistentStoreFrom: source, type: .sqlite)
    #expect(try names() == [new])
    #expect(try teams(.sqlite, at: target) == ["Reds"])
  }

  @Test("setURL moves an atomic store at the next save, and a SQLite store to an existing file")
  func settingTheURL() throws {
    try onEveryStore([.xml, .binary, .ownAtomic]) { kind, folder in
      let (opened, context) = try store(kind, at: kind.url(in: folder, "a"), team: "Reds")
      let coordinator = try #require(context.persistentStoreCoordinator)
      let other = kind.url(in: folder, "b")
      #expect(coordinator.setURL(other, for: opened))
      #expect(coordinator.url(for: opened) == other)
      #expect(!FileManager.default.fileExists(atPath: other.path))
      try context.performAndWait {
        context.insert("Team", ["name": "Blues"])
        try context.save()
      }
      #expect(try teams(kind, at: other) == ["Blues", "Reds"])
      #expect(try teams(kind, at: kind.url(in: folder, "a")) == ["Reds"])
      // A save without changes writes the new file as well.
      let third = kind.url(in: folder, "c")
      #expect(coordinator.setURL(third, for: opened))
      try context.performAndWait { try context.save() }
      #expect(try teams(kind, at: third) == ["Blues", "Reds"])
    }
    let folder = try TemporaryFolder()
    let (opened, context) = try store(.sqlite, at: folder.file("a.sqlite"), team: "Reds")
    _ = try store(.sqlite, at: folder.file("b.sqlite"), team: "Blues")
    let coordinator = try #require(context.persistentStoreCoordinator)
    #expect(!coordinator.setURL(folder.file("c.sqlite"), for: opened))
    try context.performAndWait { () throws in
      #expect(try context.all("Team").map { $0["name"] } == ["Reds"])
    }
    #expect(coordinator.setURL(folder.file("b.sqlite"), for: opened))
    try context.performAndWait { () throws in
      context.reset()
      #expect(try context.all("Team").map { $0["name"] } == ["Blues"])
    }
  }

  @Test("Metadata that was set before a store got another URL is saved to the file of that URL")
  func metadataAfterSettingTheURL() throws {
    try onEveryStore([.sqlite, .xml, .binary]) { kind, folder in
      let (url, moved) = (kind.url(in: folder, "a"), kind.url(in: folder, "b"))
      let (opened, context) = try store(kind, at: url, team: "Reds")
      let coordinator = try #require(context.persistentStoreCoordinator)
      let metadata = try #require(opened.metadata)
      coordinator.setMetadata(metadata.merging(["mood": "calm"]) { $1 }, for: opened)
      // The program moves the file and says so.
      if kind == .sqlite {
        try NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
          .replacePersistentStore(at: moved, withPersistentStoreFrom: url, type: .sqlite)
      }
      #expect(coordinator.setURL(moved, for: opened))
      #expect(opened.metadata["mood"] as? String == "calm")
      try context.performAndWait { try context.save() }
      let saved = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: kind.type, at: moved)
      #expect(saved["mood"] as? String == "calm", "\(kind)")
      #expect(try teams(kind, at: moved) == ["Reds"])
    }
  }
}
