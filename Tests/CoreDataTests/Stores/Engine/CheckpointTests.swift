import Testing

@testable import CoreData

/// Source: "Write-Ahead Logging" on sqlite.org, with the section on the WAL-reset bug.
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

  @Test("A program can have no checkpoints")
  func none() throws {
    let opened = try EngineStore([NSSQLitePragmasOption: ["wal_autocheckpoint": 0]])
    try fill(opened, saves: 15)
    #expect(try opened.size("-wal") > 6_000_000)
  }

  @Test("While somebody else writes there is none: the next commit makes it")
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

  @Test("Versions of SQLite with the defect are known")
  func versions() {
    let sound = [3_051_003, 3_052_000, 3_050_007, 3_050_008, 3_044_006, 3_044_009]
    let faulty = [3_007_000, 3_040_001, 3_044_005, 3_045_000, 3_050_006, 3_051_000, 3_051_002]
    #expect(sound.map { SQLiteVersion.canLoseWALPages($0) } == sound.map { _ in false })
    #expect(faulty.map { SQLiteVersion.canLoseWALPages($0) } == faulty.map { _ in true })
  }
}
