import CoreData
import FixtureSupport

/// Kills a process that saves, at random moments, and looks whether what it was told to be saved is
/// there: all of each save or nothing of it.
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
        // From its first instruction on, so that it is killed while it makes the file, too.
        usleep(UInt32.random(in: 0..<150_000, using: &random))
      } else {
        while child.lines.isEmpty, child.isRunning { usleep(500) }
        usleep(UInt32.random(in: 0..<300_000, using: &random))
      }
      child.kill()
      guard child.wait() == nil else {
        throw Lost("loop \(loop): the process ended by itself: \(child.lines.suffix(3))")
      }
      let said = child.lines.compactMap { Int($0) }.last ?? done
      if child.lines.isEmpty { unopened += 1 }
      acknowledged += said - done
      let found = try inspect(url, said: said)
      if found > said { unannounced += 1 }
      done = found
      if loop % 50 == 49 { Report.line("\(loop + 1) loops, \(acknowledged) saves") }
    }
    Report.line(
      "crash: \(loops) kills, \(acknowledged) saves acknowledged and found, \(unannounced) times one"
        + " more that was not acknowledged yet, \(unopened) kills before the store was open;"
        + " nothing lost, nothing half")
  }

  /// The number of steps that the store has; it throws unless they are all that was said, or one
  /// more.
  private static func inspect(_ url: URL, said: Int) throws -> Int {
    if !FileManager.default.fileExists(atPath: url.path), said == 0 { return 0 }
    let store = try WorkloadStore(url)
    let content = try store.context.performAndWait { try Ledger.content(store.context) }
    try store.close()
    try PlainSQL(url).requireWhole()
    let report = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    // Files of values that were written before their save ended are left over.
    let findings = report.findings.filter { $0.kind != .unusedFile && $0.kind != .recentFile }
    try Lost.unless(findings.isEmpty, "after step \(said): \(findings)")
    for number in [said, said + 1] where NaiveLedger(after: number) == content { return number }
    throw Lost(
      "after step \(said) was acknowledged\nthere is  \(content.text)\nexpected "
        + " \(NaiveLedger(after: said).text)\nor        \(NaiveLedger(after: said + 1).text)")
  }
}
