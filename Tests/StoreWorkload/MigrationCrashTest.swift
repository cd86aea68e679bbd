import CoreData
import FixtureSupport

/// Starts processes that migrate a store to another model and back, kills each at a random moment, and checks that the
/// store is valid and complete.
///
/// `crash-migration --loops 100 --seed 1`
enum MigrationCrashTest {
  private static let steps = 120

  /// The ways in which a store is migrated.
  private enum Manner: String, CaseIterable {
    case place, copy, staged, deferred, xml

    func migrate(_ url: URL, to model: NSManagedObjectModel) throws {
      switch self {
      case .place: try WorkloadStore(url, model: model).close()
      case .copy: try WorkloadMigration.copy(url, to: model, [:])
      case .staged: try WorkloadMigration.staged(url, to: model)
      case .deferred: try WorkloadMigration.deferred(url, to: model)
      case .xml: try WorkloadMigration.xml(url, to: model)
      }
    }
  }

  static func run(_ arguments: Arguments) throws {
    let loops = try arguments.number("loops", 100)
    var random = SeededGenerator(seed: UInt64(try arguments.number("seed", 1)))
    let folder = try TemporaryFolder()
    let url = folder.file("ledger.sqlite")
    let store = try WorkloadStore(url)
    for number in 1...steps {
      try store.context.performAndWait { try Ledger.perform(number, in: store.context) }
    }
    let text = folder.file("ledger.xml")
    let opened = store.coordinator.persistentStores[0]
    _ = try store.coordinator.migratePersistentStore(opened, to: text, type: .xml)
    try store.close()
    var migrations = 0
    for loop in 0..<loops {
      let manner = Manner.allCases[loop % Manner.allCases.count]
      let url = manner == .xml ? text : url
      let child = try ChildProcess([
        "migration-loop", "--store", url.path, "--manner", manner.rawValue,
      ])
      while child.lines.isEmpty, child.isRunning { usleep(500) }
      usleep(UInt32.random(in: 0..<400_000, using: &random))
      child.kill()
      guard child.wait() == nil else {
        throw Lost("loop \(loop): the process ended early: \(child.lines.suffix(3))")
      }
      migrations += child.lines.count - 1
      try inspect(url, manner, loop)
    }
    // A completed migration removes the files that killed migrations left behind.
    for (manner, url) in [(Manner.copy, url), (Manner.xml, text)] {
      try manner.migrate(url, to: WorkloadModel.next)
      let names = try FileManager.default.contentsOfDirectory(
        atPath: url.deletingLastPathComponent().path)
      let left = names.filter { $0.hasPrefix(".\(url.lastPathComponent).migration-") }
      try Lost.unless(left.isEmpty, "\(manner): \(left) were left behind")
    }
    Report.line(
      "crash-migration: \(loops) kills during \(migrations) migrations; no row was lost, and no migration was incomplete"
    )
  }

  private static func inspect(_ url: URL, _ manner: Manner, _ loop: Int) throws {
    if manner == .staged { try requireMark(url, loop) }
    // The manners `place` and `copy` need no migration here, because opening the store below migrates it back to the
    // first model. The others must complete although the killed process left its files behind.
    if manner != .place, manner != .copy { try manner.migrate(url, to: WorkloadModel.model) }
    let store = try WorkloadStore(url, type: manner == .xml ? NSXMLStoreType : NSSQLiteStoreType)
    let content = try store.context.performAndWait { try Ledger.content(store.context) }
    try store.close()
    try Lost.unless(
      content == NaiveLedger(after: steps), "loop \(loop), \(manner): there is \(content.text)")
    if manner == .xml { return }
    try PlainSQL(url).requireWhole()
    let report = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    let findings = report.findings.filter { $0.kind != .unusedFile && $0.kind != .recentFile }
    try Lost.unless(findings.isEmpty, "loop \(loop), \(manner): \(findings)")
  }

  /// A handler that did not finish must be called again before the store is used.
  private static func requireMark(_ url: URL, _ loop: Int) throws {
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite, at: url)
    guard
      WorkloadModel.next.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    else { return }
    try WorkloadMigration.staged(url, to: WorkloadModel.next)
    let store = try WorkloadStore(url, model: WorkloadModel.next)
    let names = try store.context.performAndWait {
      try store.context.all("Added").map { $0.value(forKey: "name") as? String }
    }
    try store.close()
    try Lost.unless(
      names == [WorkloadMigration.mark], "loop \(loop): the handler left \(names)")
  }

  /// Migrates back and forth until it is killed, and reports each completed migration.
  static func loop(_ arguments: Arguments) throws {
    let url = URL(fileURLWithPath: try arguments.text("store"))
    guard let manner = Manner(rawValue: try arguments.text("manner")) else {
      throw Arguments.UsageError(text: "unknown manner")
    }
    Report.line("open")
    var isNext = false
    while true {
      try manner.migrate(url, to: isNext ? WorkloadModel.model : WorkloadModel.next)
      isNext.toggle()
      Report.line("migrated")
    }
  }
}
