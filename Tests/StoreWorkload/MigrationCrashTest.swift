import CoreData
import FixtureSupport

/// Kills a process that migrates a store to another model and back, at random moments, and looks whether
/// the store is whole and has all that it had.
///
/// `crash-migration --loops 100 --seed 1`
enum MigrationCrashTest {
  private static let steps = 120

  static func run(_ arguments: Arguments) throws {
    let loops = try arguments.number("loops", 100)
    var random = SeededGenerator(seed: UInt64(try arguments.number("seed", 1)))
    let folder = try TemporaryFolder()
    let url = folder.file("ledger.sqlite")
    let store = try WorkloadStore(url)
    for number in 1...steps {
      try store.context.performAndWait { try Ledger.take(number, in: store.context) }
    }
    try store.close()
    var migrations = 0
    for loop in 0..<loops {
      let child = try ChildProcess([
        "migration-loop", "--store", url.path, "--manner", loop % 2 == 0 ? "place" : "copy",
      ])
      while child.lines.isEmpty, child.isRunning { usleep(500) }
      usleep(UInt32.random(in: 0..<400_000, using: &random))
      child.kill()
      guard child.wait() == nil else {
        throw Lost("loop \(loop): the process ended by itself: \(child.lines.suffix(3))")
      }
      migrations += child.lines.count - 1
      try inspect(url, loop)
    }
    Report.line(
      "crash-migration: \(loops) kills among \(migrations) migrations; nothing lost, nothing half")
  }

  private static func inspect(_ url: URL, _ loop: Int) throws {
    let store = try WorkloadStore(url)
    let content = try store.context.performAndWait { try Ledger.content(store.context) }
    try store.close()
    try PlainSQL(url).requireWhole()
    try Lost.unless(
      content == NaiveLedger(after: steps), "loop \(loop): there is \(content.text)")
    let report = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    let findings = report.findings.filter { $0.kind != .unusedFile }
    try Lost.unless(findings.isEmpty, "loop \(loop): \(findings)")
  }

  /// Migrates there and back until it is killed, and says each time that it is done.
  static func loop(_ arguments: Arguments) throws {
    let url = URL(fileURLWithPath: try arguments.text("store"))
    let copies = try arguments.text("manner") == "copy"
    Report.line("open")
    var isNext = false
    while true {
      let model = isNext ? WorkloadModel.model : WorkloadModel.next
      if copies {
        try WorkloadMigration.copy(url, to: model, [:])
      } else {
        try WorkloadStore(url, model: model).close()
      }
      isNext.toggle()
      Report.line("migrated")
    }
  }
}
