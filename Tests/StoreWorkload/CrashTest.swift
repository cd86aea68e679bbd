import CoreData
import FixtureSupport

/// Kills a saving process at random moments, and checks that the store contains all acknowledged
/// saves and no incomplete one.
///
/// `crash --loops 500 --seed 1`
enum CrashTest {
  private static let loopsOfStore = 20

  static func run(_ arguments: Arguments) throws {
    let loops = try arguments.number("loops", 500)
    var random = SeededGenerator(seed: UInt64(try arguments.number("seed", 1)))
    var folder = try TemporaryFolder()
    var done = 0
    var acknowledged = 0
    var unannounced = 0
    var unopened = 0
    for loop in 0..<loops {
      if loop % loopsOfStore == 0 {
        folder = try TemporaryFolder()
        done = 0
      }
      let journal = loop / loopsOfStore % 2 == 0 ? "wal" : "delete"
      let url = folder.file("ledger.sqlite")
      let child = try ChildProcess([
        "crash-loop", "--store", url.path, "--journal", journal, "--from", "\(done)",
      ])
      if Bool.random(using: &random) {
        // The delay begins with the process, so that some processes are killed while they create the
        // file.
        usleep(UInt32.random(in: 0..<150_000, using: &random))
      } else {
        while child.lines.isEmpty, child.isRunning { usleep(500) }
        usleep(UInt32.random(in: 0..<300_000, using: &random))
      }
      child.kill()
      guard child.wait() == nil else {
        throw Lost("loop \(loop): the process ended early: \(child.lines.suffix(3))")
      }
      let reported = child.lines.compactMap { Int($0) }.last ?? done
      if child.lines.isEmpty { unopened += 1 }
      acknowledged += reported - done
      let found = try inspect(url, reported: reported)
      if found > reported { unannounced += 1 }
      done = found
      if loop % 50 == 49 { Report.line("\(loop + 1) loops, \(acknowledged) saves") }
    }
    Report.line(
      "crash: \(loops) kills, \(acknowledged) saves acknowledged and found, \(unannounced) saves found that were not"
        + " acknowledged yet, \(unopened) kills before the store was open; no save was lost or incomplete"
    )
  }

  /// Returns the number of steps in the store. Throws unless the store has exactly the reported steps,
  /// or one more.
  private static func inspect(_ url: URL, reported: Int) throws -> Int {
    if !FileManager.default.fileExists(atPath: url.path), reported == 0 { return 0 }
    let store = try WorkloadStore(url)
    let content = try store.context.performAndWait { try Ledger.content(store.context) }
    try store.close()
    try PlainSQL(url).requireWhole()
    let report = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    // External files that were written for an unfinished save remain.
    let findings = report.findings.filter { $0.kind != .unusedFile && $0.kind != .recentFile }
    try Lost.unless(findings.isEmpty, "after step \(reported): \(findings)")
    for number in [reported, reported + 1] where NaiveLedger(after: number) == content {
      return number
    }
    throw Lost(
      "after step \(reported) was acknowledged\nthere is  \(content.text)\nexpected "
        + " \(NaiveLedger(after: reported).text)\nor        \(NaiveLedger(after: reported + 1).text)"
    )
  }
}
