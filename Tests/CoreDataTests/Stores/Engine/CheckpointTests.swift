import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Source: "Write-Ahead Logging" on sqlite.org, including the section on the WAL-reset bug.
@Suite("Checkpoints")
struct CheckpointTests {
  private func fill(_ opened: EngineStore, saves: Int) throws {
    for number in 0..<saves {
      try opened.save("\(number)" + String(repeating: "x", count: 400_000))
    }
  }

  @Test("The log does not grow with the number of saves")
  func bounded() throws {
    let opened = try EngineStore()
    try fill(opened, saves: 40)
    #expect(try opened.size("-wal") < 6_000_000)
    #expect(try opened.size("") > 10_000_000)
    #expect(try opened.names().count == 40)
    #expect(try PlainDatabase(opened.url).values("PRAGMA integrity_check")[0][0].text == "ok")
  }

  @Test("A program can turn off checkpoints")
  func none() throws {
    let opened = try EngineStore([NSSQLitePragmasOption: ["wal_autocheckpoint": 0]])
    try fill(opened, saves: 15)
    #expect(try opened.size("-wal") > 6_000_000)
  }

  @Test("A checkpoint is deferred to the next commit while another connection writes")
  func others() throws {
    let opened = try EngineStore([NSSQLitePragmasOption: ["wal_autocheckpoint": 0]])
    try fill(opened, saves: 3)
    var options = StoreOptions()
    options.pragmas = ["wal_autocheckpoint": "10"]
    let before = try opened.size("")
    try opened.store.pool.write { writer in
      let checkpointing = Checkpointing(path: opened.url.path, options)
      let other = try PlainDatabase(opened.url)
      _ = try other.values("BEGIN IMMEDIATE")
      checkpointing.run(on: writer)
      let during = try opened.size("")
      if SQLiteVersion.canLoseWALPages { #expect(during == before) }
      _ = try other.values("ROLLBACK")
      checkpointing.run(on: writer)
      let after = try opened.size("")
      #expect(after > before + 1_000_000)
      checkpointing.close()
    }
  }

  /// "Write-Ahead Logging", section 2.3: a checkpoint stops at pages that a reader still needs.
  @Test("A store can be opened while only a part of its log has been copied to the file")
  func partly() throws {
    let opened = try EngineStore([NSSQLitePragmasOption: ["wal_autocheckpoint": 0]])
    try fill(opened, saves: 1)
    let reader = try PlainDatabase(opened.url)
    _ = try reader.values("BEGIN")
    _ = try reader.values("SELECT COUNT(*) FROM ZPLAYER")
    try fill(opened, saves: 1)
    try opened.store.pool.write { _ = try $0.text("PRAGMA wal_checkpoint(PASSIVE)") }
    // This is the state of the file in the middle of a checkpoint that has written the first page and not the last one.
    try #require(truncate(opened.url.path, off_t(try opened.size("") - 8192)) == 0)
    #expect(throws: Never.self) { _ = try SampleStack(url: opened.url) }
  }

  #if os(Linux)
    private static let variable = "OPENCOREDATA_CHECKPOINTS_OF"
    private static let saves = 250

    /// Opens a store with a checkpoint after almost every commit, so that the checkpoints of two
    /// processes overlap.
    private static func open(_ url: URL) throws -> NSManagedObjectContext {
      try TestedStore.sqlite.open(
        SampleStack.makeModel(), at: url,
        options: [NSSQLitePragmasOption: ["wal_autocheckpoint": 5, "synchronous": "NORMAL"]]
      ).context
    }

    @Test(
      "Helper: another process that constantly saves and makes checkpoints",
      .enabled(if: OtherProcess.argument(CheckpointTests.variable) != nil))
    func otherProcess() throws {
      let path = try #require(OtherProcess.argument(Self.variable))
      let context = try Self.open(URL(fileURLWithPath: path))
      try context.performAndWait {
        for number in 0..<Self.saves {
          context.insert(
            "Player", ["name": String(repeating: "x", count: 3000), "number": number])
          try context.save()
        }
      }
    }

    @Test("Processes that constantly save and make checkpoints lose nothing")
    func processes() throws {
      let folder = try TemporaryFolder()
      let url = folder.file("store.sqlite")
      // The store exists before the other processes start, and stays open.
      let context = try Self.open(url)
      DispatchQueue.concurrentPerform(iterations: 3) { _ in
        #expect(throws: Never.self) {
          try OtherProcess.run("CheckpointTests/otherProcess", setting: Self.variable, to: url.path)
        }
      }
      try context.performAndWait {
        let numbers = try context.all("Player").compactMap { $0["number"] as Int? }
        #expect(numbers.sorted() == (0..<Self.saves).flatMap { [$0, $0, $0] })
      }
      let plain = try PlainDatabase(url)
      #expect(try plain.values("PRAGMA integrity_check")[0][0].text == "ok")
      let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber
      #expect((size?.intValue ?? 0) > 2_000_000, "no checkpoints were made")
    }
  #endif

  @Test("SQLite versions with the WAL-reset bug are recognized")
  func versions() {
    let sound = [3_051_003, 3_052_000, 3_050_007, 3_050_008, 3_044_006, 3_044_009]
    let faulty = [3_007_000, 3_040_001, 3_044_005, 3_045_000, 3_050_006, 3_051_000, 3_051_002]
    #expect(sound.map { SQLiteVersion.canLoseWALPages($0) } == sound.map { _ in false })
    #expect(faulty.map { SQLiteVersion.canLoseWALPages($0) } == faulty.map { _ in true })
  }
}
