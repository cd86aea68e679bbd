import CoreData
import FixtureSupport
import Testing

/// Reading a store as evidence: not one byte, no time and no name in its folder changes, and what is in its
/// write-ahead log is read.
@Suite("Stores read as evidence")
struct ImmutableStoresTests {
  /// How a store is opened so that nothing in its folder changes.
  enum Way: String, CaseIterable {
    case readOnly, immutable

    var options: [AnyHashable: Any] {
      switch self {
      case .readOnly: [NSReadOnlyPersistentStoreOption: true]
      case .immutable: [immutableStoreOption: true]
      }
    }
  }

  /// What `stat(2)` says of all in a folder, and the bytes: times of changes of the inode included, which also a
  /// change of the owner to the same owner sets.
  private func evidence(_ folder: TemporaryFolder) throws -> [String: [String]] {
    var evidence: [String: [String]] = [:]
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) + ["."]
    for name in names {
      let path = folder.url.path + "/" + name
      var status = stat()
      #expect(lstat(path, &status) == 0)
      evidence[name] = [
        "\(status.st_ino) \(status.st_mode) \(status.st_size) \(status.st_nlink)",
        "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)",
        "\(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)",
        status.st_mode & S_IFMT == S_IFREG
          ? try Data(contentsOf: URL(fileURLWithPath: path)).base64EncodedString() : "",
      ]
    }
    return evidence
  }

  /// A store whose last rows are in its log alone, with or without the index beside it, as a copy of a phone has it.
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
      // A transaction that is kept shares a store with those who may write meanwhile, but not as evidence.
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
    "all in the log is read, and nothing in the folder changes", arguments: Way.allCases,
    [false, true])
  func log(way: Way, index: Bool) throws {
    let folder = try TemporaryFolder()
    let url = try makeStore(folder, index: index)
    let before = try evidence(folder)
    try readAll(url, way.options)
    #expect(try evidence(folder) == before)
    _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: url, options: way.options)
    _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
      at: url, options: way.options)
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings == [])
    #expect(try evidence(folder) == before)
    // To copy it is to read it.
    let other = try TemporaryFolder()
    try NSPersistentStoreCoordinator(managedObjectModel: SampleStore.model())
      .replacePersistentStore(
        at: other.file("copy.sqlite"), withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
    #expect(try evidence(folder) == before)
    try readAll(other.file("copy.sqlite"), way.options)
  }

  @Test("as evidence nothing changes while another connection has the store open and writes")
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
    let before = try evidence(folder)
    try readAll(url, Way.immutable.options)
    #expect(try evidence(folder) == before)
    // The locks of this process's other connection are as they were: nobody else takes the log away.
    try PlainDatabase(url).execute("UPDATE ZPLAYER SET ZAGE = 3")
    try writer.context.performAndWait {
      writer.context.insert("Player", ["name": "Cid"])
      try writer.context.save()
    }
    try writer.close()
    #expect(try PlainDatabase(url).values("SELECT COUNT(*) FROM ZPLAYER") == [[.integer(3)]])
  }

  @Test("a store that is only read is shared from the moment when another connection writes to it")
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
    "a log that is cut off or damaged is read up to there, as SQLite does", arguments: Way.allCases)
  func damagedLog(way: Way) throws {
    for count in [0, 10, 32, 1000, 5000] {
      let folder = try TemporaryFolder()
      let url = folder.file("store.sqlite")
      try OpenStore(url, SampleStore.model()).close()
      let log = URL(fileURLWithPath: url.path + "-wal")
      try Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(to: log)
      let before = try evidence(folder)
      let store = try OpenStore(url, SampleStore.model(), options: way.options)
      let players = try store.context.performAndWait { try store.context.all("Player").count }
      #expect(players == 0)
      try store.close()
      #expect(try evidence(folder) == before)
    }
  }

  @Test("stores that Apple wrote", .enabled(if: Fixtures.areAvailable), arguments: StoreFixture.all)
  func apples(_ fixture: StoreFixture) throws {
    let folder = try TemporaryFolder()
    let url = try fixture.copy(into: folder)
    let before = try evidence(folder)
    for way in Way.allCases {
      let model = try NSPersistentStoreCoordinator.readableStore(at: url).model
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
