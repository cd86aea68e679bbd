import CSQLite
import CoreData
import FaultVFS

/// Runs an operation once for each k, and makes its k-th file operation of one kind fail.
struct FaultSeries {
  let operation: FaultOperation
  let template: FaultTemplate
  let kind: FaultKind
  let kindName: String
  let isSticky: Bool
  /// The maximum number of runs that are spread evenly over all k. Runs for the first k are added.
  let steps: Int
  /// The history after the operation without a failure.
  private var newHistory: [String]?
  /// The contents of stores without any problem, by their files. Most runs end with files of the same bytes, which need
  /// not be read again: reading the contents takes two thirds of the time of a run.
  private var wholeStores: [FolderContent: NaiveLedger] = [:]
  private static let keptStores = 50

  mutating func run() throws -> FaultTest.Tally {
    var tally = FaultTest.Tally()
    let folder = try TemporaryFolder()
    // A run without a failure counts the operations.
    let whole = try attempt(Int.max, folder)
    let count = whole.count
    tally.operations = count
    newHistory = whole.history
    if operation.history == .changes {
      try Lost.unless(
        newHistory != template.history, "\(operation.name) did not change the history")
    }
    let all = Array(1...max(count, 1)).prefix(count)
    let stride = max(1, Int((Double(count) / Double(steps)).rounded(.up)))
    for k in all where k % stride == 0 || k == 1 || (k <= 5 && steps > 5) {
      let outcome: Outcome
      do {
        outcome = try attempt(k, folder)
      } catch {
        let text = (error as? Lost)?.text ?? "\(error)"
        throw Lost(
          "\(operation.name), \(kindName) \(k) of \(count) fails\(isSticky ? " and all after it" : ""):"
            + " \(text)")
      }
      tally.runs += 1
      if outcome.error != nil { tally.errors += 1 }
      if outcome.isReopened { tally.reopened += 1 }
    }
    return tally
  }

  private struct Outcome {
    var error: NSError?
    var count = 0
    var isReopened = false
    var history: [String] = []
  }

  init(
    _ operation: FaultOperation, _ template: FaultTemplate, _ kind: FaultKind, named name: String,
    isSticky: Bool, steps: Int
  ) {
    self.operation = operation
    self.template = template
    self.kind = kind
    kindName = name
    self.isSticky = isSticky
    self.steps = steps
  }

  private mutating func attempt(_ k: Int, _ folder: TemporaryFolder) throws -> Outcome {
    try folder.fill(from: template.folder)
    let url = folder.file("ledger.sqlite")
    var store = operation.opensBefore ? try WorkloadStore(url, template.options) : nil
    if let store { try operation.prepare(store) }
    var outcome = Outcome()
    fault_arm(Int32(kind.rawValue), Int64(k), isSticky ? 1 : 0)
    do {
      defer { fault_disarm() }
      try operation.body(url, &store, template.options)
    } catch let lost as Lost {
      throw lost
    } catch {
      outcome.error = error as NSError
    }
    outcome.count = Int(fault_count())
    let hasFailed = fault_fired() > 0
    if let error = outcome.error {
      try Lost.unless(hasFailed, "an error although nothing failed: \(error.localizedDescription)")
      try Lost.unless(
        error.domain == NSCocoaErrorDomain, "an error of another domain: \(error)")
      try Lost.unless(
        error.localizedDescription.contains(folder.url.path),
        "the error does not state the file: \(error.localizedDescription)")
    }
    outcome.isReopened = try use(&store, url)
    try store?.close()
    store = nil
    outcome.history = try inspect(url, folder, outcome)
    return outcome
  }

  /// Saves again, and reopens the store if necessary. Returns whether it was reopened.
  private func use(_ store: inout WorkloadStore?, _ url: URL) throws -> Bool {
    if let open = store {
      do {
        try mark(open)
        return false
      } catch {
        let error = error as NSError
        try Lost.unless(
          error.domain == NSCocoaErrorDomain,
          "the store cannot be used, and the error has a different domain: \(error)")
        try open.close()
        store = nil
      }
    }
    let again: WorkloadStore
    do {
      again = try WorkloadStore(url, template.options)
      store = again
      try mark(again)
    } catch {
      throw Lost(
        "the store cannot be used, even after reopening it: \((error as NSError).localizedDescription)"
      )
    }
    return true
  }

  private func mark(_ store: WorkloadStore) throws {
    let context = store.newContext()
    try context.performAndWait {
      context.insert("Counter", ["name": "after", "value": 1])
      try context.save()
    }
  }

  /// Throws unless the store has the old or the new contents.
  ///
  /// - Returns: Its history, without the save that followed the operation.
  private mutating func inspect(
    _ url: URL, _ folder: TemporaryFolder, _ outcome: Outcome
  ) throws -> [String] {
    // The time of each transaction makes the files of a store with a history unique.
    let files = operation.history == .none ? try FolderContent(folder.url) : nil
    if let content = files.flatMap({ wholeStores[$0] }) {
      try PlainSQL(url).requireUnlocked()
      try requireExpected(content, outcome)
      return []
    }
    let plain = try PlainSQL(url)
    try plain.requireWhole()
    try plain.requireUnlocked()
    let marks = try plain.texts("SELECT COUNT(*) FROM ZCOUNTER WHERE ZNAME = 'after'")
    try Lost.unless(marks == ["1"], "the save after the operation exists \(marks) times")
    let store = try WorkloadStore(url)
    let content = try store.context.performAndWait { try Ledger.content(store.context) }
    try store.close()
    try requireExpected(content, outcome)
    let hadUnusedFiles = try verify(url, plain, outcome)
    if let files, !hadUnusedFiles, wholeStores.count < Self.keptStores {
      wholeStores[files] = content
    }
    guard operation.history != .none else { return [] }
    let history = try plain.history(withLast: false)
    if let newHistory {
      let expected = zip([operation.old, operation.new], [template.history, newHistory])
        .filter { $0.0 == content }.map(\.1)
        .suffix(outcome.error == nil ? 1 : 2)
      try Lost.unless(
        expected.contains(history),
        "the history is \(history)\nexpected \(expected)\nwith the contents \(content.text)")
    }
    return history
  }

  private func requireExpected(_ content: NaiveLedger, _ outcome: Outcome) throws {
    let states = outcome.error == nil ? [operation.new] : [operation.old, operation.new]
    try Lost.unless(
      states.contains(content),
      "there is \(content.text)\nafter \(outcome.error?.localizedDescription ?? "no error")"
        + "\nexpected \(states.map(\.text).joined(separator: "\nor       "))")
  }

  /// Throws if the store has a problem, or an unused value file that must not be there or that
  /// verification does not report.
  ///
  /// - Returns: Whether there was an unused value file at first.
  private func verify(_ url: URL, _ plain: PlainSQL, _ outcome: Outcome) throws -> Bool {
    var files = try ValueFiles(of: url, plain)
    let hadUnusedFiles = !files.unused.isEmpty
    let mayLeaveFiles = mayLeaveFiles(outcome, files)
    // Files that a context's objects need are kept until the context is released, which another
    // thread may still be about to do.
    for _ in 0..<50 where !files.unused.isEmpty && !mayLeaveFiles {
      usleep(10_000)
      files = try ValueFiles(of: url, plain)
    }
    try Lost.unless(
      files.unused.isEmpty || mayLeaveFiles,
      "no row refers to the files \(files.unused.sorted()), which were left behind after"
        + " \(outcome.error?.localizedDescription ?? "no error")")
    let findings = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings
    let ofFiles = findings.filter { $0.kind == .unusedFile || $0.kind == .recentFile }
    try Lost.unless(
      ofFiles.reduce(0) { $0 + $1.count } == files.unused.count,
      "no row refers to the files \(files.unused.sorted()), but verification found \(ofFiles)")
    let others = findings.filter { !ofFiles.contains($0) }
    try Lost.unless(others.isEmpty, "\(others)")
    return hadUnusedFiles
  }

  /// Returns whether value files that no row refers to may be left.
  ///
  /// After a failed COMMIT the file may contain the transaction or not, and a process that recovers
  /// it may find the other state. So neither the new files nor the replaced ones are removed.
  ///
  /// When a copy replaces the pages and fails, the library reads the rows to find out which files are
  /// unneeded. If all file operations fail, so does this read, and unneeded files are left. If the
  /// pages were replaced before the failure, the old files are left.
  private func mayLeaveFiles(_ outcome: Outcome, _ files: ValueFiles) -> Bool {
    guard let error = outcome.error else { return false }
    if operation.replacesPages { return isSticky || files.named != template.files }
    return Self.isOfCommit(error)
  }

  /// Returns whether COMMIT failed for any reason but a lock. Without the lock SQLite writes nothing.
  private static func isOfCommit(_ error: NSError) -> Bool {
    if error.domain == NSSQLiteErrorDomain {
      return error.userInfo["NSSQLiteStatement"] as? String == "COMMIT"
        && Int32(error.code) & 0xff != SQLITE_BUSY
    }
    return (error.userInfo[NSUnderlyingErrorKey] as? NSError).map(isOfCommit) ?? false
  }
}
