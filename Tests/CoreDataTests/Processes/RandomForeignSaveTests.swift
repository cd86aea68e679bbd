import CoreDataTestSupport
import FixtureSupport
import Testing

@testable import CoreData

/// Another coordinator or process saves random changes. After each save, the reports of live results must turn the
/// former rows into those of a new fetch, and the objects in use must equal the stored ones.
@Suite("Live results during random saves in other coordinators and processes")
struct RandomForeignSaveTests {
  private typealias Setting = RandomResultsTests.Setting

  private static let variable = "OPENCOREDATA_RANDOM_SAVES"

  @Test(
    "Live results report every save of another coordinator", arguments: RandomResultsTests.settings)
  private func coordinators(_ setting: Setting) throws {
    var random = SeededGenerator("random saves, \(setting)")
    let shared = try #require(SharedStore.allCases.randomElement(using: &random))
    let keepsHistory = Bool.random(using: &random)
    let opened = try shared.open(
      options: [NSPersistentHistoryTrackingKey: keepsHistory as NSNumber])
    let there = opened.there
    try there.performAndWait { try RandomSaves.fill(there, &random) }
    let walk = try ForeignSaveWalk(setting, opened.here)
    for step in 0..<WholeRun.steps(9, whole: 25) {
      try walk.changeSomething(&random)
      try there.performAndWait { try RandomSaves.save(there, &random) }
      guard
        try walk.check(
          "seed \(random.seed), step \(step), \(shared.rawValue), history \(keepsHistory)")
      else { return }
    }
  }

  #if os(Linux)
    @Test(
      "Helper: the other process that saves",
      .enabled(if: OtherProcess.argument(RandomForeignSaveTests.variable) != nil))
    func otherProcess() throws {
      let path = try #require(OtherProcess.argument(Self.variable))
      let context = NSManagedObjectContext.confined(
        to: try TestedStore.sqlite.open(
          SampleStack.makeModel(), at: URL(fileURLWithPath: path)
        ).context.persistentStoreCoordinator)
      try CommandedProcess.replyToCommands { line in
        var random = SeededGenerator(seed: UInt64(line) ?? 0)
        try RandomSaves.save(context, &random)
        return "saved"
      }
    }

    @Test("Live results report every save of another process", arguments: ["WAL", "DELETE"])
    func processes(journal: String) throws {
      var random = SeededGenerator("random saves of another process, \(journal)")
      let folder = try TemporaryFolder()
      let url = folder.file("shared.sqlite")
      let here = try TestedStore.sqlite.open(
        SampleStack.makeModel(), at: url,
        options: [NSSQLitePragmasOption: ["journal_mode": journal]])
      try here.context.performAndWait { try RandomSaves.fill(here.context, &random) }
      let walks = try [1, 3, 7].map {
        try ForeignSaveWalk(
          RandomResultsTests.settings[$0], here.context.persistentStoreCoordinator)
      }
      let other = try CommandedProcess(
        "RandomForeignSaveTests/otherProcess", setting: Self.variable, to: url.path)
      for step in 0..<60 {
        for walk in walks { try walk.changeSomething(&random) }
        #expect(other.send("\(random.next() >> 1)") == "saved")
        for walk in walks {
          guard try walk.check("seed \(random.seed), step \(step)") else { return }
        }
      }
      try other.end()
    }
  #endif
}

/// Follows a store with live results and compares them with fetches.
final class ForeignSaveWalk {
  private let setting: RandomResultsTests.Setting
  private let follower: Follower
  /// Objects that are kept in memory, with the values that they read.
  private var held: [NSManagedObject] = []

  init(
    _ setting: RandomResultsTests.Setting, _ coordinator: NSPersistentStoreCoordinator?
  ) throws {
    self.setting = setting
    follower = try Follower(
      coordinator, sort: setting.sort, section: setting.section, predicate: setting.predicate,
      limit: setting.limit, offset: setting.offset, batchSize: setting.batch)
  }

  /// Reads objects and their members, and sometimes changes some without saving them.
  func changeSomething(_ random: inout SeededGenerator) throws {
    let context = follower.context
    try context.performAndWait {
      held = try (context.all("Player") + context.all("Team") + context.all("Tag")).filter { _ in
        Int.random(in: 0..<3, using: &random) > 0
      }
      for object in held {
        for name in object.entity.relationshipsByName.keys.sorted()
        where Bool.random(using: &random) { _ = object.value(forKey: name) }
      }
      switch Int.random(in: 0..<5, using: &random) {
      case 0: try RandomSaves.change(context, &random)
      case 1, 2: context.rollback()
      default: break
      }
      context.processPendingChanges()
    }
  }

  /// Waits until the live results equal the result of a fetch. Returns false, and records why, if they do not.
  func check(_ place: String) throws -> Bool {
    let context = follower.context
    let table = follower.table
    var expected = ""
    var shown = ""
    var stale: [String] = []
    try follower.wait(seconds: 600) {
      expected = try text(expectedSections())
      shown = text(table.sections.map { ($0.name, $0.rows) })
      stale = expected == shown ? staleObjects() : []
      return expected == shown && stale.isEmpty
    }
    return context.performAndWait {
      let message: Comment = "\(place): \(setting), \(table.calls.suffix(40))"
      #expect(shown == expected, message)
      #expect(stale == [], message)
      #expect(table.violations == [], message)
      #expect(context.checkInvariants() == nil, message)
      table.clear()
      return shown == expected && stale.isEmpty && table.violations.isEmpty
    }
  }

  private func text(_ sections: [(name: String, rows: [NSManagedObject])]) -> String {
    sections.map { section in
      section.name + ": "
        + section.rows.map { $0.objectID.uriRepresentation().lastPathComponent }
        .joined(separator: " ")
    }.joined(separator: "\n")
  }

  /// The result of a fetch of everything, divided into sections by the test itself.
  private func expectedSections() throws -> [(name: String, rows: [NSManagedObject])] {
    var rows = try follower.context.all("Player", setting.predicate, sort: setting.sort)
    rows = Array(rows.dropFirst(setting.offset))
    if setting.limit > 0 { rows = Array(rows.prefix(setting.limit)) }
    return SectionsByHand.of(rows, setting.section)
  }

  /// The objects without unsaved changes that differ from the stored ones.
  private func staleObjects() -> [String] {
    let context = follower.context
    if context.hasChanges { return [] }
    let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    reader.persistentStoreCoordinator = context.persistentStoreCoordinator
    return reader.performAndWait {
      held.filter { !$0.isDeleted && $0.managedObjectContext != nil }.compactMap { object in
        let stored = try? reader.existingObject(with: object.objectID)
        guard let stored else { return "\(object.objectID) is gone" }
        for name in object.entity.propertiesByName.keys.sorted() {
          let (here, there) = (picture(object, name), picture(stored, name))
          if here != there { return "\(object.objectID) \(name): \(here), stored \(there)" }
        }
        return nil
      }
    }
  }

  private func picture(_ object: NSManagedObject, _ name: String) -> String {
    switch object.value(forKey: name) {
    case nil: "nil"
    case let other as NSManagedObject: "\(other.objectID)"
    case let set as NSSet:
      set.allObjects.compactMap { ($0 as? NSManagedObject).map { "\($0.objectID)" } }.sorted()
        .joined(separator: ",")
    case let set as NSOrderedSet:
      set.array.compactMap { ($0 as? NSManagedObject).map { "\($0.objectID)" } }
        .joined(separator: ",")
    case let value?: "\(value)"
    }
  }
}
