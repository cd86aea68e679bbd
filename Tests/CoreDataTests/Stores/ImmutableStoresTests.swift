import CoreData
import FixtureSupport
import ObjectModel
import Testing

/// Reading a store as evidence must not change any byte, time or name in its folder, and must
/// include its write-ahead log.
@Suite("Reading stores as evidence")
struct ImmutableStoresTests {
  /// The options for opening a store so that nothing in its folder changes.
  enum Way: String, CaseIterable {
    case readOnly, immutable

    var options: [AnyHashable: Any] {
      switch self {
      case .readOnly: [NSReadOnlyPersistentStoreOption: true]
      case .immutable: [immutableStoreOption: true]
      }
    }
  }

  /// The bytes and `stat(2)` fields of everything in a folder. They include the inode's change
  /// time, which even a change of owner to the same owner updates, and the access time, which this
  /// method itself leaves unchanged.
  private func evidence(_ folder: TemporaryFolder) throws -> [String: [String]] {
    var evidence: [String: [String]] = [:]
    try gather(folder.url.path, &evidence)
    return evidence
  }

  private func gather(_ path: String, _ evidence: inout [String: [String]]) throws {
    var status = stat()
    #expect(lstat(path, &status) == 0)
    var bytes = ""
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      let file = FileHandle(
        fileDescriptor: UntimedFile.open(path, O_RDONLY | O_CLOEXEC), closeOnDealloc: true)
      bytes = (try file.readToEnd() ?? Data()).base64EncodedString()
    case S_IFDIR:
      let stream = try #require(fdopendir(UntimedFile.open(path, O_RDONLY | O_DIRECTORY)))
      defer { closedir(stream) }
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
        }
        if name != ".", name != ".." { try gather(path + "/" + name, &evidence) }
      }
    default: break
    }
    evidence[path] = [
      "\(status.st_ino) \(status.st_mode) \(status.st_size) \(status.st_nlink)",
      "changed \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)",
      "inode changed \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)",
      "read \(status.st_atim.tv_sec).\(status.st_atim.tv_nsec)", bytes,
    ]
  }

  /// Sets the access time of everything in a folder far back, so that the system records the next
  /// access.
  private func age(_ folder: TemporaryFolder) throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) + ["."] {
      var times = [
        timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: Self.omitted),
      ]
      #expect(utimensat(AT_FDCWD, folder.url.path + "/" + name, &times, AT_SYMLINK_NOFOLLOW) == 0)
    }
  }

  /// `UTIME_OMIT` of utimensat(2).
  private static let omitted = 0x3fff_fffe

  /// Makes a store whose last rows are only in its log, with or without the log's index, like a
  /// copy from a phone.
  private func makeStore(_ folder: TemporaryFolder, index: Bool) throws -> URL {
    let other = try TemporaryFolder()
    let store = try OpenStore(
      other.file("store.sqlite"), SampleStore.model(),
      options: [NSPersistentHistoryTrackingKey: true])
    try store.context.performAndWait {
      for name in ["Ann", "Bob"] {
        store.context.insert("Player", ["name": name, "portrait": Data(count: 200_000)])
        try store.context.save()
      }
    }
    let url = folder.file("store.sqlite")
    for suffix in index ? ["", "-wal", "-shm"] : ["", "-wal"] {
      try Data(contentsOf: URL(fileURLWithPath: other.file("store.sqlite").path + suffix))
        .write(to: URL(fileURLWithPath: url.path + suffix))
    }
    try FileManager.default.copyItem(
      at: other.file(".store_SUPPORT"), to: folder.file(".store_SUPPORT"))
    try store.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: url.path + "-wal")).count > 1000)
    return url
  }

  private func readAll(_ url: URL, _ options: [AnyHashable: Any]) throws {
    let store = try OpenStore(url, SampleStore.model(), options: options)
    #expect(store.coordinator.persistentStores.first?.isReadOnly == true)
    try store.context.performAndWait {
      let players = try store.context.all("Player", sort: ["name"])
      #expect(players.map { $0.value(forKey: "name") as? String } == ["Ann", "Bob"])
      #expect(players.map { ($0.value(forKey: "portrait") as? Data)?.count } == [200_000, 200_000])
      // A read transaction makes the connection share the file with possible writers, except when it
      // is read as evidence.
      if options[immutableStoreOption] != nil {
        try store.context.setQueryGenerationFrom(.current)
        #expect(try store.context.all("Player", sort: ["height"]).count == 2)
        try store.context.setQueryGenerationFrom(nil)
      }
      store.context.insert("Club", ["name": "x"])
      #expect(failure { try store.context.save() } != nil)
      store.context.rollback()
    }
    let history = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
    let result = try store.context.performAndWait { try store.context.execute(history) }
    let transactions =
      (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
    #expect(transactions?.count == 2)
    try store.close()
  }

  @Test(
    "The complete log is read, and nothing in the folder changes", arguments: Way.allCases,
    [false, true])
  func log(way: Way, index: Bool) throws {
    let folder = try TemporaryFolder()
    let url = try makeStore(folder, index: index)
    try age(folder)
    let before = try evidence(folder)
    try readAll(url, way.options)
    #expect(try evidence(folder) == before)
    _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: url, options: way.options)
    _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
      at: url, options: way.options)
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings == [])
    #expect(try evidence(folder) == before)
    // Copying the store only reads it.
    let other = try TemporaryFolder()
    try NSPersistentStoreCoordinator(managedObjectModel: SampleStore.model())
      .replacePersistentStore(
        at: other.file("copy.sqlite"), withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
    #expect(try evidence(folder) == before)
    try readAll(other.file("copy.sqlite"), way.options)
  }

  @Test("Reading as evidence changes nothing while another connection writes")
  func inUse() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let writer = try OpenStore(
      url, SampleStore.model(), options: [NSPersistentHistoryTrackingKey: true])
    try writer.context.performAndWait {
      for name in ["Ann", "Bob"] {
        writer.context.insert("Player", ["name": name, "portrait": Data(count: 200_000)])
        try writer.context.save()
      }
    }
    try age(folder)
    let before = try evidence(folder)
    try readAll(url, Way.immutable.options)
    #expect(try evidence(folder) == before)
    // The locks of this process's other connection are unchanged, so that no other process removes
    // the log.
    try PlainDatabase(url).execute("UPDATE ZPLAYER SET ZAGE = 3")
    try writer.context.performAndWait {
      writer.context.insert("Player", ["name": "Cid"])
      try writer.context.save()
    }
    try writer.close()
    #expect(try PlainDatabase(url).values("SELECT COUNT(*) FROM ZPLAYER") == [[.integer(3)]])
  }

  @Test("A read-only store, already open, reads the rows that another connection saves")
  func shared() throws {
    let folder = try TemporaryFolder()
    let url = try makeStore(folder, index: true)
    let reader = try OpenStore(url, SampleStore.model(), options: Way.readOnly.options)
    func names() throws -> [String?] {
      try reader.context.performAndWait {
        try reader.context.all("Player", sort: ["name"]).map { $0.value(forKey: "name") as? String }
      }
    }
    #expect(try names() == ["Ann", "Bob"])
    let writer = try OpenStore(
      url, SampleStore.model(), options: [NSPersistentHistoryTrackingKey: true])
    try writer.context.performAndWait {
      writer.context.insert("Player", ["name": "Cid"])
      try writer.context.save()
    }
    #expect(try names() == ["Ann", "Bob", "Cid"])
    try writer.close()
    #expect(try names() == ["Ann", "Bob", "Cid"])
    try reader.close()
  }

  @Test(
    "A truncated or damaged log is read up to the damage, as SQLite does", arguments: Way.allCases)
  func damagedLog(way: Way) throws {
    for count in [0, 10, 32, 1000, 5000] {
      let folder = try TemporaryFolder()
      let url = folder.file("store.sqlite")
      try OpenStore(url, SampleStore.model()).close()
      let log = URL(fileURLWithPath: url.path + "-wal")
      try Data.pattern(count, step: 7).write(to: log)
      try age(folder)
      let before = try evidence(folder)
      let store = try OpenStore(url, SampleStore.model(), options: way.options)
      let players = try store.context.performAndWait { try store.context.all("Player").count }
      #expect(players == 0)
      try store.close()
      #expect(try evidence(folder) == before)
    }
  }

  @Test(
    "Changes that a hot journal rolls back are not read, and the journal stays",
    arguments: Way.allCases,
    ["UPDATE ZPLAYER SET ZNAME = 'x' || Z_PK", "DELETE FROM ZPLAYER", "INSERT"])
  func journal(way: Way, change: String) throws {
    let other = try TemporaryFolder()
    let source = other.file("store.sqlite")
    let store = try OpenStore(source, SampleStore.model())
    try store.context.performAndWait {
      for number in 0..<500 {
        store.context.insert("Player", ["name": "player \(number)", "age": number])
      }
      try store.context.save()
    }
    try store.close()
    let writer = try PlainDatabase(source)
    try writer.execute("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = 0; VACUUM")
    // The transaction has written some of its pages to the file, as if its process had been killed.
    try writer.execute("PRAGMA cache_size = 2; PRAGMA cache_spill = 1; BEGIN")
    if change == "INSERT" {
      try writer.execute(
        "WITH RECURSIVE c(n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM c WHERE n < 9000)"
          + " INSERT INTO ZPLAYER (Z_PK, Z_ENT, Z_OPT, ZNAME)"
          + " SELECT n, (SELECT MAX(Z_ENT) FROM ZPLAYER), 1, hex(randomblob(100)) FROM c")
    } else {
      try writer.execute(change)
      try writer.execute("CREATE TABLE x (y); INSERT INTO x VALUES (zeroblob(3000000))")
    }
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(
        atPath: source.path + suffix, toPath: url.path + suffix)
    }
    try writer.execute("ROLLBACK")
    #expect(try Data(contentsOf: url) != Data(contentsOf: source))
    try age(folder)
    let before = try evidence(folder)
    let reader = try OpenStore(url, SampleStore.model(), options: way.options)
    try reader.context.performAndWait {
      let players = try reader.context.all("Player", sort: ["age"])
      #expect(
        players.map { $0.value(forKey: "name") as? String } == (0..<500).map { "player \($0)" })
    }
    try reader.close()
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings == [])
    #expect(try evidence(folder) == before)
    // SQLite itself reads the same rows.
    let plain = try PlainDatabase(url)
    #expect(try plain.values("SELECT COUNT(*) FROM ZPLAYER") == [[.integer(500)]])
    #expect(!FileManager.default.fileExists(atPath: url.path + "-journal"))
  }

  @Test(
    "Apple's stores can be read as evidence", .enabled(if: Fixtures.areAvailable, "no fixtures"),
    arguments: StoreFixture.all)
  func apples(_ fixture: StoreFixture) throws {
    let folder = try TemporaryFolder()
    let url = try fixture.copy(into: folder)
    try age(folder)
    let before = try evidence(folder)
    let model = try NSPersistentStoreCoordinator.readableStore(at: url).model
    let number = StoreFixture.all.firstIndex { $0.path == fixture.path } ?? 0
    let ways = WholeRun.isChosen ? Way.allCases : [Way.allCases[number % Way.allCases.count]]
    for way in ways {
      var options = way.options
      options[NSIgnorePersistentStoreVersioningOption] = true
      let store = try OpenStore(url, model, options: options)
      try store.context.performAndWait {
        for entity in model.entities {
          let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
          request.fetchLimit = 50
          _ = try store.context.fetch(request)
        }
      }
      try store.close()
      #expect(try evidence(folder) == before, "\(way)")
    }
  }
}
