import CoreData
import FixtureSupport
import Testing

@Suite struct ReadOnlyStoresTests {
  private static let readOnly = [NSReadOnlyPersistentStoreOption: NSNumber(value: true)]

  @Test(
    "Reading a store does not change it, its log or its folder",
    .enabled(if: Fixtures.areAvailable, "no fixtures"), arguments: StoreFixture.all)
  func readingLeavesNoTrace(_ fixture: StoreFixture) throws {
    let folder = try TemporaryFolder()
    let url = try fixture.copy(into: folder)
    let before = try folder.state()
    let models = try fixture.models(url)
    #expect(try folder.state() == before, "after its model was read")
    guard let model = models.last?.model else { return }
    do {
      let store = try OpenStore(
        url, model,
        options: [
          NSReadOnlyPersistentStoreOption: NSNumber(value: true),
          NSIgnorePersistentStoreVersioningOption: NSNumber(value: true),
        ])
      try store.context.performAndWait {
        for entity in model.entities {
          _ = try store.context.fetch(
            NSFetchRequest<NSManagedObject>(entityName: entity.name ?? ""))
        }
      }
      #expect(try folder.state() == before, "while it is open")
      try store.close()
    }
    #expect(try folder.state() == before, "after its rows were read")
  }

  @Test("A read-only store shows what another connection writes")
  func readerSeesWriter() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Store.sqlite")
    let writer = try OpenStore(url, SampleStore.model())
    let reader = try OpenStore(url, SampleStore.model(), options: Self.readOnly)
    try writer.context.performAndWait {
      NSEntityDescription.insertNewObject(forEntityName: "Club", into: writer.context)
        .setValue("Harbour", forKey: "name")
      try writer.context.save()
    }
    try reader.context.performAndWait {
      let clubs = try reader.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Club"))
      #expect(clubs.map { $0.value(forKey: "name") as? String } == ["Harbour"])
    }
    // The reader closes first and does not affect the writer.
    try reader.close()
    try writer.context.performAndWait {
      NSEntityDescription.insertNewObject(forEntityName: "Club", into: writer.context)
      try writer.context.save()
    }
    try writer.close()
    #expect(try PlainDatabase(url).values("SELECT COUNT(*) FROM ZCLUB") == [[.integer(2)]])
  }

  @Test(
    "An unused store is read without side files until another connection writes to it")
  func unshared() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Store.sqlite")
    func write(_ name: String, _ body: (OpenStore) throws -> Void) throws {
      let writer = try OpenStore(url, SampleStore.model())
      try writer.context.performAndWait {
        NSEntityDescription.insertNewObject(forEntityName: "Club", into: writer.context)
          .setValue(name, forKey: "name")
        try writer.context.save()
      }
      try body(writer)
      try writer.close()
    }
    try write("A") { _ in }
    let before = try folder.state()
    #expect(before.keys.sorted() == ["Store.sqlite"])
    let reader = try OpenStore(url, SampleStore.model(), options: Self.readOnly)
    func names() throws -> [String?] {
      try reader.context.performAndWait {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Club")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try reader.context.fetch(request).map { $0.value(forKey: "name") as? String }
      }
    }
    #expect(try names() == ["A"])
    #expect(try folder.state() == before)
    // Another coordinator has opened, written and closed the store.
    try write("B") { _ in }
    #expect(try names() == ["A", "B"])
    // Another coordinator has the store open.
    try write("C") { _ in
      let found = try names()
      #expect(found == ["A", "B", "C"])
    }
    #expect(try names() == ["A", "B", "C"])
    // A pinned state does not change.
    try reader.context.performAndWait {
      try reader.context.setQueryGenerationFrom(.current)
      let found = try names()
      #expect(found.count == 3)
    }
    try write("D") { _ in
      let found = try names()
      #expect(found == ["A", "B", "C"])
    }
    try reader.close()
    #expect(try PlainDatabase(url).values("SELECT COUNT(*) FROM ZCLUB") == [[.integer(4)]])
  }

  @Test("A read-only store cannot be saved")
  func savingIsRefused() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Store.sqlite")
    try OpenStore(url, SampleStore.model()).close()
    let store = try OpenStore(url, SampleStore.model(), options: Self.readOnly)
    #expect(store.coordinator.persistentStores.first?.isReadOnly == true)
    store.context.performAndWait {
      NSEntityDescription.insertNewObject(forEntityName: "Club", into: store.context)
      let error = failure { try store.context.save() }
      #expect(error?.code == NSFileWriteNoPermissionError)
      #expect(error?.localizedDescription.contains("reading only") == true)
    }
    try store.close()
  }

  @Test(
    "Pragmas that would change a file do not change a read-only store",
    arguments: ["WAL", "DELETE"], [false, true])
  func pragmas(_ journal: String, _ isForHistory: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Store.sqlite")
    var options: [AnyHashable: Any] =
      journal == "WAL" ? [:] : [NSSQLitePragmasOption: ["journal_mode": journal]]
    // A store that already has history is read-only if it is opened without this option.
    if isForHistory { options[NSPersistentHistoryTrackingKey] = true as NSNumber }
    do {
      let store = try OpenStore(url, SampleStore.model(), options: options)
      try store.context.performAndWait {
        let clubs = (0..<2000).map { number in
          let club = NSEntityDescription.insertNewObject(
            forEntityName: "Club", into: store.context)
          club.setValue("a club with the number \(number)", forKey: "name")
          return club
        }
        try store.context.save()
        // Frees pages that could be removed from the file.
        for club in clubs.dropFirst() { store.context.delete(club) }
        try store.context.save()
      }
      try store.close()
    }
    #expect(try #require(try PlainDatabase(url).values("PRAGMA freelist_count")[0][0].integer) > 0)
    let before = try folder.state()
    for pragma: [String: Any] in [
      ["journal_mode": journal == "WAL" ? "DELETE" : "WAL"], ["journal_mode": "MEMORY"],
      ["user_version": 7], ["application_id": 7], ["incremental_vacuum": 10],
      ["auto_vacuum": "NONE"], ["wal_checkpoint": "TRUNCATE"],
    ] {
      var reading: [AnyHashable: Any] = isForHistory ? [:] : Self.readOnly
      reading[NSSQLitePragmasOption] = pragma
      let store = try OpenStore(url, SampleStore.model(), options: reading)
      #expect(store.coordinator.persistentStores.first?.isReadOnly == true)
      try store.context.performAndWait {
        let clubs = try store.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Club"))
        #expect(clubs.count == 1)
      }
      try store.close()
      #expect(try folder.state() == before, "\(pragma)")
    }
  }
}
