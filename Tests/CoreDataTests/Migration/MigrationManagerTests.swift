import CoreData
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct MigrationManagerTests {
  /// The expected books of a shelf after the migration of `LibraryModels.fill`.
  private func expectedBooks(_ shelf: Int, _ count: Int) -> [String] {
    (0..<count).sorted { ($0 * 7 % 10) < ($1 * 7 % 10) }.map { "BOOK \(shelf).\($0)" }
  }

  @Test("Objects, values, inheritance and ordered relationships migrate in stores of every kind")
  func everyKind() throws {
    try onEveryStore(TestedStore.fileKinds) { kind, folder in
      let migration = try LibraryMigration(kind, folder)
      let before = try migration.files()
      try migration.run()
      let after = try migration.files()
      for (name, bytes) in before { #expect(after[name] == bytes, "\(kind): \(name)") }
      // The destination is a single complete file, which programs may move on its own.
      #expect(after.keys.filter { before[$0] == nil } == [migration.destination.lastPathComponent])
      let rows = try Rows(migration.destination, LibraryModels.two(), type: kind.type)
      #expect(
        try rows.map("Shelf") { $0.text("label") }.sorted() == ["shelf 0", "shelf 1", "shelf 2"])
      let shelves = try rows.map("Shelf") { ($0.text("label"), $0.texts("books", "code")) }
      for (label, books) in shelves {
        let number = Int(label.suffix(1)) ?? -1
        #expect(books == expectedBooks(number, 10), "\(kind): \(label)")
      }
      let books = try rows.map("Book") { "\($0.text("title")) \($0.text("pages"))" }
      #expect(books.count == 21)
      #expect(books.contains("book 2.9 9"))
      let comics = try rows.map("Comic") {
        "\($0.text("title")) \($0.text("isColored")) \($0.text("language"))"
      }
      #expect(comics.count == 9)
      #expect(comics.contains("book 1.5 true en") || comics.contains("book 1.5 1 en"))
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: kind.type, at: migration.destination)
      #expect(metadata["author"] as? String == "Ann")
      try rows.close()
    }
  }

  @Test("A migration removes drafts of processes that ended, and no others")
  func abandonedDrafts() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    let place = migration.destination
    let prefix = place.deletingLastPathComponent()
      .appendingPathComponent(".\(place.lastPathComponent).migration-").path
    for name in ["dead", "alive"] {
      try FileManager.default.createDirectory(
        atPath: prefix + name, withIntermediateDirectories: false)
      try Data("draft".utf8).write(to: URL(fileURLWithPath: prefix + name + "/draft.sqlite"))
    }
    let descriptor = open(prefix + "alive", O_RDONLY)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    try migration.run()
    #expect(!FileManager.default.fileExists(atPath: prefix + "dead"))
    #expect(FileManager.default.fileExists(atPath: prefix + "alive/draft.sqlite"))
  }

  @Test("A store can be migrated to another store type")
  func otherTypes() throws {
    for (from, to) in [(TestedStore.sqlite, TestedStore.xml), (.binary, .sqlite), (.xml, .binary)] {
      let migration = try LibraryMigration(from, try TemporaryFolder(), to: to)
      try migration.run(to: to)
      let rows = try Rows(migration.destination, LibraryModels.two(), type: to.type)
      #expect(try rows.count("Book") == 21)
      #expect(
        try rows.map("Shelf") { $0.texts("books", "code") }.map(\.count) == [10, 10, 10])
      try rows.close()
    }
  }

  @Test("Objects of several batches migrate with their relationships")
  func manyBatches() throws {
    let migration = try LibraryMigration(
      .sqlite, try TemporaryFolder(), shelves: 250, booksEach: 10)
    try migration.run()
    let rows = try Rows(migration.destination, LibraryModels.two())
    #expect(try rows.count("Book") == 1750)
    #expect(try rows.count("Comic") == 750)
    let wrong = try rows.map("Shelf") { shelf in
      let number = Int(shelf.text("label").split(separator: " ").last ?? "") ?? -1
      return shelf.texts("books", "code") == expectedBooks(number, 10)
    }.filter { !$0 }
    #expect(wrong.isEmpty)
    try rows.close()
    let problems = try NSPersistentStoreCoordinator.verifyPersistentStore(at: migration.destination)
      .findings
    #expect(problems.isEmpty, "\(problems)")
  }

  @Test("An inferred mapping is carried out like any other")
  func inferred() throws {
    let folder = try TemporaryFolder()
    let migration = try LibraryMigration(.sqlite, folder)
    let new = LibraryModels.one()
    let book = try #require(new.entitiesByName["Book"])
    book.attributesByName["title"]?.name = "heading"
    book.attributesByName["heading"]?.renamingIdentifier = "title"
    book.properties.append(
      LibraryModels.attribute(
        "stars", .integer16AttributeType, isOptional: false, defaultValue: 3))
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: LibraryModels.one(), destinationModel: new)
    try migration.run(
      mapping,
      manager: NSMigrationManager(sourceModel: LibraryModels.one(), destinationModel: new))
    let rows = try Rows(migration.destination, new)
    let comics = try rows.map("Comic") { "\($0.text("heading")) \($0.text("stars"))" }
    #expect(comics.count == 9)
    #expect(comics.contains("book 0.2 3"))
    let shelves = try rows.map("Shelf") { $0.texts("books", "heading") }
    #expect(shelves.allSatisfy { $0.count == 10 })
    try rows.close()
  }

  @Test("A second mapping model adds to the store that the first one made")
  func severalPasses() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    let all = LibraryModels.mapping()
    let (first, second) = (NSMappingModel(), NSMappingModel())
    first.entityMappings = [all.entityMappings[1]]
    second.entityMappings = [all.entityMappings[0], all.entityMappings[2]]
    let manager = NSMigrationManager(
      sourceModel: LibraryModels.one(), destinationModel: LibraryModels.two())
    first.entityMappings[0].relationshipMappings = []
    try migration.run(first, manager: manager)
    try migration.run(second, manager: manager)
    let rows = try Rows(migration.destination, LibraryModels.two())
    #expect(try rows.count("Book") == 21)
    #expect(try rows.count("Comic") == 9)
    #expect(try rows.map("Shelf") { $0.texts("books", "code").count } == [3, 3, 3])
    try rows.close()
  }

  @Test("A filter of source objects leaves the other objects out")
  func filtered() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    let mapping = LibraryModels.mapping()
    mapping.entityMappings[1].sourceExpression = NSExpression(
      format: "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:',"
        + " 'Book', 'pages < 3'), $manager.sourceContext, NO)")
    try migration.run(mapping)
    let rows = try Rows(migration.destination, LibraryModels.two())
    #expect(try rows.count("Book") == 6)
    #expect(try rows.count("Comic") == 9)
    #expect(try rows.map("Shelf") { $0.texts("books", "code").count } == [5, 5, 5])
    try rows.close()
  }

  // MARK: Failures

  private func expectFailure(
    _ code: Int, _ text: String, _ migration: LibraryMigration, manager: NSMigrationManager? = nil,
    mapping: NSMappingModel = LibraryModels.mapping(), _ location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try migration.files()
    let manager =
      manager
      ?? NSMigrationManager(
        sourceModel: LibraryModels.one(), destinationModel: LibraryModels.two())
    let error = #expect(throws: NSError.self, sourceLocation: location) {
      try migration.run(mapping, manager: manager)
    }
    #expect(error?.domain == NSCocoaErrorDomain, sourceLocation: location)
    #expect(error?.code == code, sourceLocation: location)
    #expect(
      error?.localizedDescription.contains(text) == true, "\(error?.localizedDescription ?? "")",
      sourceLocation: location)
    #expect(try migration.files() == before, sourceLocation: location)
  }

  @Test("A missing required value throws an error that identifies the object and the property")
  func validation() throws {
    try onEveryStore(TestedStore.fileKinds) { kind, folder in
      let migration = try LibraryMigration(kind, folder)
      let mapping = LibraryModels.mapping()
      mapping.entityMappings[2].attributeMappings?.removeAll { $0.name == "code" }
      try expectFailure(
        NSValidationMultipleErrorsError, "mapping ComicToComic: the new object Comic p", migration,
        mapping: mapping)
      mapping.entityMappings[2].attributeMappings?.append(
        LibraryModels.property("code", "TERNARY($source.title == 'book 1.5', nil, 'x')"))
      try expectFailure(
        NSValidationMissingMandatoryPropertyError, ".code is not valid: code is a required value.",
        migration, mapping: mapping)
    }
  }

  @Test("A required relationship is checked after all relationships are set")
  func requiredRelationship() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    let strict = NSMigrationManager(
      sourceModel: LibraryModels.one(),
      destinationModel: LibraryModels.two(isShelfRequired: true))
    let mapping = LibraryModels.mapping()
    mapping.entityMappings[0].sourceExpression = NSExpression(
      format: "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:',"
        + " 'Shelf', 'name != \"shelf 1\"'), $manager.sourceContext, NO)")
    try expectFailure(
      NSValidationMultipleErrorsError, ".shelf is not valid", migration, manager: strict,
      mapping: mapping)
    try migration.run(LibraryModels.mapping(), manager: strict)
    let rows = try Rows(
      migration.destination, LibraryModels.two(isShelfRequired: true))
    #expect(try rows.count("Book") == 21)
    try rows.close()
  }

  @Test("An invalid mapping throws an error that identifies the mapping and the property")
  func errors() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    func broken(_ change: (NSEntityMapping) -> Void) -> NSMappingModel {
      let mapping = LibraryModels.mapping()
      change(mapping.entityMappings[1])
      return mapping
    }
    try expectFailure(
      NSMigrationError, "mapping BookToBook, property title: ", migration,
      mapping: broken {
        $0.attributeMappings?[0].valueExpression = NSExpression(format: "$source.x")
      })
    try expectFailure(
      NSMigrationError,
      "mapping BookToBook, property nothing: the entity Book has no such property",
      migration,
      mapping: broken { $0.attributeMappings?.append(LibraryModels.property("nothing", "1")) })
    try expectFailure(
      NSMigrationError,
      "mapping BookToBook, property shelf: there is no entity mapping named Shelves", migration,
      mapping: broken {
        $0.relationshipMappings = [
          LibraryModels.property(
            "shelf",
            "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:',"
              + " 'Shelves', $source.shelf)")
        ]
      })
    try expectFailure(
      NSMigrationError, "does not implement the function title:", migration,
      mapping: broken {
        $0.attributeMappings?[0].valueExpression = NSExpression(
          format: "FUNCTION($entityPolicy, 'title:', $source.title)")
      })
    try expectFailure(
      NSEntityMigrationPolicyError, "there is no migration policy class Nowhere.At.All",
      migration, mapping: broken { $0.entityMigrationPolicyClassName = "Nowhere.At.All" })
    try expectFailure(
      NSMigrationError, "mapping BookToBook: its source objects cannot be fetched", migration,
      mapping: broken { $0.sourceExpression = NSExpression(format: "$manager.nothing") })
    try expectFailure(
      NSMigrationMissingMappingModelError, "needs a mapping model", migration,
      mapping: NSMappingModel())
  }

  @Test("A migration with a wrong model or location throws an error and changes no file")
  func wrongModel() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    let wrong = NSMigrationManager(
      sourceModel: LibraryModels.two(), destinationModel: LibraryModels.two())
    try expectFailure(
      NSMigrationManagerSourceStoreError, "cannot be read", migration, manager: wrong)
    let missing = LibraryMigration(
      other: migration, source: migration.folder.file("missing.sqlite"),
      destination: migration.destination)
    try expectFailure(NSMigrationManagerSourceStoreError, "missing.sqlite", missing)
    let same = LibraryMigration(
      other: migration, source: migration.source, destination: migration.source)
    try expectFailure(NSMigrationError, "its own location", same)
    let nowhere = LibraryMigration(
      other: migration, source: migration.source,
      destination: migration.folder.file("no/such/folder.sqlite"))
    try expectFailure(NSMigrationManagerDestinationStoreError, "cannot be written", nowhere)
  }

  @Test("The destination is unchanged if adding to it fails")
  func destinationStays() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    try migration.run()
    let mapping = LibraryModels.mapping()
    mapping.entityMappings[2].attributeMappings?.removeAll { $0.name == "code" }
    try expectFailure(NSValidationMultipleErrorsError, "Comic", migration, mapping: mapping)
    let rows = try Rows(migration.destination, LibraryModels.two())
    #expect(try rows.count("Book") == 21)
    try rows.close()
  }

  @Test("A migration throws an error if new objects violate a uniqueness constraint")
  func constraints() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    let new = LibraryModels.two()
    new.entitiesByName["Shelf"]?.uniquenessConstraints = [["label"]]
    let mapping = LibraryModels.mapping()
    mapping.entityMappings[0].attributeMappings = [LibraryModels.property("label", "'same'")]
    try expectFailure(
      NSMigrationConstraintViolationError, "same unique values", migration,
      manager: NSMigrationManager(sourceModel: LibraryModels.one(), destinationModel: new),
      mapping: mapping)
  }

  // MARK: Progress

  private final class Watcher: NSMigrationManager, @unchecked Sendable {
    var seen: [Float] = []
    var limit: Float = 2

    override func migrationProgressDidChange(_ migrationProgress: Float) {
      seen.append(migrationProgress)
      if migrationProgress > limit {
        cancelMigrationWithError(
          NSError(domain: NSCocoaErrorDomain, code: NSMigrationCancelledError))
      }
    }
  }

  // Source: a test of Sworm, which deletes the source's objects and saves.
  @Test(
    "A source is writable only if its options set the read-only option to false",
    arguments: [true, false])
  func source(_ isWritten: Bool) throws {
    final class Writer: NSMigrationManager, @unchecked Sendable {
      var failure: (any Error)?

      override func migrationProgressDidChange(_ migrationProgress: Float) {
        guard migrationProgress == 1 else { return }
        sourceContext.performAndWait {
          do {
            try sourceContext.all("Shelf").forEach(sourceContext.delete)
            try sourceContext.save()
          } catch { failure = error }
        }
      }
    }
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder(), shelves: 2)
    let manager = Writer(sourceModel: LibraryModels.one(), destinationModel: LibraryModels.two())
    try manager.migrateStore(
      from: migration.source, sourceType: NSSQLiteStoreType,
      options: isWritten ? [NSReadOnlyPersistentStoreOption: false] : nil,
      with: LibraryModels.mapping(), toDestinationURL: migration.destination,
      destinationType: NSSQLiteStoreType, destinationOptions: nil)
    #expect((manager.failure == nil) == isWritten)
  }

  @Test("Progress goes from 0 to 1, and a migration can be cancelled at every step")
  func progress() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder(), shelves: 200, booksEach: 4)
    let manager = Watcher(sourceModel: LibraryModels.one(), destinationModel: LibraryModels.two())
    #expect(manager.migrationProgress == 0)
    let before = try migration.files()
    try migration.run(manager: manager)
    #expect(manager.seen == manager.seen.sorted())
    #expect(manager.seen.last == 1)
    #expect(manager.seen.count > 6)
    #expect(manager.reportedProgress.fractionCompleted == 1)
    let steps = manager.seen.dropLast()
    for name in try migration.files().keys where before[name] == nil {
      try FileManager.default.removeItem(at: migration.folder.file(name))
    }
    for step in steps {
      manager.limit = step - 0.0001
      #expect {
        try migration.run(manager: manager)
      } throws: { error in
        (error as NSError).code == NSMigrationCancelledError
      }
      #expect(try migration.files() == before)
    }
    manager.limit = 2
    try migration.run(manager: manager)
    #expect(FileManager.default.fileExists(atPath: migration.destination.path))
  }

  @Test("The progress is observable by its key path until the observation ends")
  func observedProgress() throws {
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    let manager = NSMigrationManager(
      sourceModel: LibraryModels.one(), destinationModel: LibraryModels.two())
    var reported: [Float] = []
    var olds: [Float] = []
    var last: NSKeyValueObservation?
    let first = manager.observe(\.migrationProgress, options: [.new, .old]) { sender, change in
      #expect(sender === manager)
      reported.append(change.newValue ?? -1)
      olds.append(change.oldValue ?? -1)
      if reported.count == 2 { last?.invalidate() }
    }
    var others = 0
    last = manager.observe(\.migrationProgress, options: [.initial]) { _, change in
      #expect(change.newValue == nil)
      others += 1
    }
    try migration.run(manager: manager)
    #expect(reported.last == 1 && reported == reported.sorted() && reported.count > 2)
    #expect(olds == [0] + reported.dropLast())
    // The second observer is called once initially, and once or twice before it is invalidated.
    #expect((2...3).contains(others))
    withExtendedLifetime(first) {}
  }

  @Test("Cancelling the progress cancels the migration")
  func cancelledProgress() throws {
    final class Canceller: NSMigrationManager, @unchecked Sendable {
      override func migrationProgressDidChange(_ migrationProgress: Float) {
        reportedProgress.cancel()
      }
    }
    let migration = try LibraryMigration(.sqlite, try TemporaryFolder())
    try expectFailure(
      NSMigrationCancelledError, "cancelled", migration,
      manager: Canceller(
        sourceModel: LibraryModels.one(), destinationModel: LibraryModels.two()))
  }
}

extension LibraryMigration {
  init(other: LibraryMigration, source: URL, destination: URL) {
    kind = other.kind
    folder = other.folder
    self.source = source
    self.destination = destination
  }
}
