import CoreData
import FixtureSupport
import Testing

/// Opening a file that is not a store, or is damaged, throws an error that identifies the file and the
/// damage, and leaves the file and its folder unchanged.
@Suite struct DamagedStoresTests {
  /// Makes a store with two players, and closes it.
  private func makeStore(_ folder: TemporaryFolder, isWAL: Bool = false) throws -> URL {
    let url = folder.file("Store.sqlite")
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait {
      for name in ["Ada", "Bea"] {
        let player = NSEntityDescription.insertNewObject(
          forEntityName: "Player", into: store.context)
        player.setValue(name, forKey: "name")
      }
      try store.context.save()
    }
    try store.close()
    if !isWAL { try PlainDatabase(url).execute("PRAGMA journal_mode = DELETE") }
    return url
  }

  /// Tries to open the file with a model, read-only and for writing. Each attempt must fail with an
  /// error that contains the words. Then reads the model and metadata in the file, which may succeed.
  /// None of this may change the folder.
  private func expectFailure(
    _ url: URL, _ folder: TemporaryFolder, saying words: [String],
    readOnly: [Bool] = [true, false],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try folder.state()
    for readOnly in readOnly {
      do {
        _ = try OpenStore(
          url, SampleStore.model(),
          options: [NSReadOnlyPersistentStoreOption: NSNumber(value: readOnly)])
        Issue.record("opened (read-only: \(readOnly))", sourceLocation: sourceLocation)
      } catch {
        let text = (error as NSError).localizedDescription
        for word in words + [url.path] where !text.contains(word) {
          Issue.record("\"\(text)\" does not contain \"\(word)\"", sourceLocation: sourceLocation)
        }
        #expect((error as NSError).domain == NSCocoaErrorDomain, sourceLocation: sourceLocation)
      }
      #expect(try folder.state() == before, sourceLocation: sourceLocation)
    }
    for read in [
      { _ = try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url) },
      { _ = try NSPersistentStoreCoordinator.inferredModel(ofStoreAt: url) },
      {
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
          ofType: NSSQLiteStoreType, at: url)
      },
    ] as [() throws -> Void] {
      // Succeeds if the parts that it reads are undamaged.
      try? read()
      #expect(try folder.state() == before, sourceLocation: sourceLocation)
    }
  }

  @Test(
    "A truncated store is rejected at every length", arguments: [50, 100, 3000, 4096, 9000, 12288])
  func cutShort(_ length: Int) throws {
    let folder = try TemporaryFolder()
    let url = try makeStore(folder)
    let bytes = try Data(contentsOf: url)
    #expect(bytes.count > 12288)
    try bytes.prefix(length).write(to: url)
    try expectFailure(url, folder, saying: ["truncated"])
  }

  @Test("A text file is not a store")
  func textFile() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Letter.sqlite")
    try Data("Dear reader, this is not a database at all.\n".utf8).write(to: url)
    try expectFailure(url, folder, saying: ["not a Core Data store", "not a SQLite file"])
  }

  @Test("An empty file cannot be opened for reading")
  func emptyFile() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Empty.sqlite")
    try Data().write(to: url)
    try expectFailure(url, folder, saying: ["the file is empty"], readOnly: [true])
  }

  @Test("A folder is not a store")
  func folderInPlaceOfFile() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Folder.sqlite")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    try expectFailure(url, folder, saying: ["it is a folder"])
  }

  @Test("Reading does not create a missing file")
  func missingFile() throws {
    let folder = try TemporaryFolder()
    try expectFailure(
      folder.file("Missing.sqlite"), folder, saying: ["no such file"], readOnly: [true])
  }

  // In a test of Sworm (`testBlobsMigration`), a container creates a store in a folder that does not
  // exist.
  @Test(
    "The folder of a new store is created, but not by reading", arguments: TestedStore.fileKinds)
  func missingFolder(_ kind: TestedStore) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Here/And/There/store")
    #expect(throws: NSError.self) {
      _ = try kind.open(
        SampleStack.makeModel(), at: url, options: [NSReadOnlyPersistentStoreOption: true])
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("Here").path))
    let opened = try kind.open(SampleStack.makeModel(), at: url)
    try opened.context.performAndWait {
      opened.context.insert("Player", ["name": "Ann"])
      try opened.context.save()
    }
    #expect(FileManager.default.fileExists(atPath: url.path))
  }

  @Test("A store cannot be created in a folder that cannot be created")
  func impossibleFolder() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.file("Nowhere"))
    try expectFailure(
      folder.file("Nowhere/Missing.sqlite"), folder, saying: ["cannot create"], readOnly: [false])
  }

  @Test("Another program's SQLite file is not a store", arguments: ["DELETE", "WAL"])
  func foreignDatabase(_ mode: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Foreign.sqlite")
    try Data().write(to: url)
    try PlainDatabase(url).execute(
      "PRAGMA journal_mode = \(mode); CREATE TABLE a (b); INSERT INTO a VALUES (1)")
    try expectFailure(url, folder, saying: ["without Core Data's tables"])
  }

  @Test("A store without its write-ahead log is not treated as empty")
  func missingLog() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Store.sqlite")
    let other = try TemporaryFolder()
    let copied = other.file("Store.sqlite")
    try Data().write(to: url)
    let plain = try PlainDatabase(url)
    // All the data is in the log while the file is open.
    try plain.execute("PRAGMA journal_mode = WAL; CREATE TABLE Z_METADATA (Z_VERSION INTEGER)")
    try Data(contentsOf: url).write(to: copied)
    withExtendedLifetime(plain) {}
    try expectFailure(copied, other, saying: ["write-ahead log", "missing"])
  }

  @Test(
    "A store with damaged metadata or tables cannot be written, and the error states the damage",
    arguments: [
      ("UPDATE Z_METADATA SET Z_PLIST = NULL", "Z_METADATA.Z_PLIST is NULL"),
      ("UPDATE Z_METADATA SET Z_PLIST = x'0011223344'", "Z_PLIST) is not a property list"),
      ("UPDATE Z_METADATA SET Z_UUID = NULL", "Z_METADATA.Z_UUID is NULL"),
      ("DELETE FROM Z_METADATA", "Z_METADATA) has no row"),
      ("DROP TABLE Z_METADATA", "without Core Data's tables"),
      ("DROP TABLE Z_PRIMARYKEY", "without Core Data's tables"),
      ("DROP TABLE ZPLAYER", "table ZPLAYER"),
      ("ALTER TABLE ZPLAYER DROP COLUMN ZHEIGHT", "column ZPLAYER.ZHEIGHT"),
      ("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Player'", "Player"),
    ])
  func brokenMetadata(_ statement: String, _ words: String) throws {
    for isWAL in [false, true] {
      let folder = try TemporaryFolder()
      let url = try makeStore(folder, isWAL: isWAL)
      try PlainDatabase(url).execute(statement)
      // Such a store only fails to open for writing. It opens read-only if SQL can read its rows
      // (`DegradedStoresTests`).
      try expectFailure(url, folder, saying: [words], readOnly: [false])
    }
  }

  @Test("A store of another model is rejected with the entities that differ")
  func otherModel() throws {
    for isWAL in [false, true] {
      let folder = try TemporaryFolder()
      let url = try makeStore(folder, isWAL: isWAL)
      let before = try folder.state()
      let model = SampleStore.model()
      model.entitiesByName["Club"]?.properties.append(
        SampleStore.attribute("city", .stringAttributeType))
      let error = #expect(throws: NSError.self) { try OpenStore(url, model) }
      #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
      #expect(error?.localizedDescription.contains("changed: Club") == true)
      let differences = error?.userInfo[storeModelDifferencesErrorKey] as? [String]
      #expect(differences?.count == 1)
      #expect(differences?.first?.hasPrefix("Club.city: ") == true)
      #expect(error?.localizedDescription.contains("this one: Club.city: ") == true)
      #expect(try folder.state() == before)
    }
  }

  @Test(
    "The error for a store of another model lists the entities, even if the store's copy is damaged"
  )
  func otherModelWithoutCache() throws {
    let folder = try TemporaryFolder()
    let url = try makeStore(folder)
    try PlainDatabase(url).execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'")
    let model = SampleStore.model()
    model.entitiesByName["Club"]?.properties.append(
      SampleStore.attribute("city", .stringAttributeType))
    let error = #expect(throws: NSError.self) { try OpenStore(url, model) }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    #expect(error?.localizedDescription.hasSuffix("(entities changed: Club)") == true)
    #expect(error?.userInfo[storeModelDifferencesErrorKey] as? [String] == [])
  }

  @Test(
    "A damaged model cache does not prevent a program with its own model from opening the store")
  func brokenModelCache() throws {
    let folder = try TemporaryFolder()
    let url = try makeStore(folder)
    try PlainDatabase(url).execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'")
    let before = try folder.state()
    let error = #expect(throws: NSError.self) {
      try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url)
    }
    #expect(error?.localizedDescription.contains("Z_MODELCACHE") == true)
    #expect(error?.localizedDescription.contains(url.path) == true)
    #expect(try folder.state() == before)
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      let count = try store.context.count(for: request)
      #expect(count == 2)
    }
  }

  @Test("A model with a relationship whose inverse does not exist is rejected")
  func danglingInverse() throws {
    let folder = try TemporaryFolder()
    let package = folder.file("Broken.xcdatamodel")
    try FileManager.default.createDirectory(at: package, withIntermediateDirectories: false)
    try Data(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Person"><relationship name="team" optional="YES" maxCount="1" \
      destinationEntity="Team" inverseName="members" inverseEntity="Team"/></entity>
        <entity name="Team"><attribute name="name" optional="YES" attributeType="String"/></entity>
      </model>
      """.utf8
    ).write(to: package.appendingPathComponent("contents"))
    let error = #expect(throws: (any Error).self) { try NSManagedObjectModel(validating: package) }
    let text = error.map { "\($0.localizedDescription) \($0)" } ?? ""
    #expect(text.contains("team") && text.contains("members"))
  }

  @Test("Random bytes written over a store cause an error or are read as rows, without a crash")
  func randomBytes() throws {
    var random = SeededGenerator("damaged stores")
    let folder = try TemporaryFolder()
    let url = try makeStore(folder)
    let whole = try Data(contentsOf: url)
    var failures = 0
    for step in 0..<200 {
      var bytes = whole
      for _ in 0..<(1 + Int(random.next() % 40)) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      try bytes.write(to: url)
      do {
        let store = try OpenStore(
          url, SampleStore.model(),
          options: [NSReadOnlyPersistentStoreOption: NSNumber(value: true)])
        try store.context.performAndWait {
          for entity in store.coordinator.managedObjectModel.entities {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            for object in try store.context.fetch(request) {
              for property in object.entity.properties { _ = object.value(forKey: property.name) }
            }
          }
        }
        try store.close()
      } catch {
        failures += 1
        #expect((error as NSError).domain == NSCocoaErrorDomain, "step \(step): \(error)")
        #expect(
          (error as NSError).localizedDescription.contains(url.path), "step \(step): \(error)")
      }
      #expect(try Data(contentsOf: url) == bytes, "step \(step)")
      #expect(try folder.state().keys.sorted() == ["Store.sqlite"], "step \(step)")
    }
    #expect(failures > 0 && failures < 200)
  }
}
