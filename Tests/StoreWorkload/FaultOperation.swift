import CoreData
import FaultVFS

/// An operation that is performed while file operations fail, with the store that it uses, and the
/// contents before and after.
struct FaultOperation: Sendable {
  let name: String
  /// The number of ledger steps that the store contains before the operation; nil if there is no file.
  let steps: Int?
  let old: NaiveLedger
  let new: NaiveLedger
  /// Whether the store is opened before anything fails.
  var opensBefore = true
  /// Whether each commit makes a checkpoint.
  var checkpoints = false
  /// Whether a copy replaces all pages of the file. The rows of the copy refer to value files with
  /// new names.
  var replacesPages = false
  var history = History.none
  /// Work on the opened store before anything fails.
  var prepare: @Sendable (WorkloadStore) throws -> Void = { _ in }
  let body: @Sendable (URL, inout WorkloadStore?, [AnyHashable: Any]) throws -> Void

  /// The effect of the operation on the store's history.
  enum History {
    /// The store has no history.
    case none
    /// Opening the store starts the history.
    case begins
    /// The operation changes the history.
    case changes
  }

  private static func step(
    _ name: String, _ number: Int, history: History = .none
  ) -> FaultOperation {
    FaultOperation(
      name: name, steps: number - 1, old: NaiveLedger(after: number - 1),
      new: NaiveLedger(after: number), history: history
    ) { _, store, _ in
      guard let context = store?.newContext() else { return }
      try context.performAndWait { try Ledger.perform(number, in: context) }
    }
  }

  static let all: [FaultOperation] =
    [
      step("save", 13), step("batch-insert", 20), step("batch-delete", 35), batchUpdate, open,
      create,
      fetch, checkpoint, close, copy, replace, step("external-save", 14, history: .changes),
      step("history-save", 13, history: .changes),
      step("history-batch", 35, history: .changes), beginHistory, deleteHistory,
    ] + migrations

  private static let batchUpdate: FaultOperation = {
    let old = NaiveLedger(after: 13)
    return FaultOperation(
      name: "batch-update", steps: 13, old: old,
      new: NaiveLedger(entries: old.entries, counter: 99, lines: old.lines)
    ) { _, store, _ in
      let request = NSBatchUpdateRequest(entityName: "Counter")
      request.predicate = try NSPredicate(validating: "name == 'steps'", arguments: [])
      request.propertiesToUpdate = ["value": 99]
      guard let context = store?.newContext() else { return }
      _ = try context.performAndWait { try context.execute(request) }
    }
  }()

  private static let open = FaultOperation(
    name: "open", steps: 13, old: NaiveLedger(after: 13), new: NaiveLedger(after: 13),
    opensBefore: false
  ) { url, store, options in
    store = try WorkloadStore(url, options)
  }

  private static let create = FaultOperation(
    name: "create", steps: nil, old: NaiveLedger(after: 0), new: NaiveLedger(after: 0),
    opensBefore: false
  ) { url, store, options in
    store = try WorkloadStore(url, options)
  }

  private static let fetch = FaultOperation(
    name: "fetch", steps: 13, old: NaiveLedger(after: 13), new: NaiveLedger(after: 13)
  ) { _, store, _ in
    guard let context = store?.newContext() else { return }
    // Checks the number of entries, but no values: an object whose row cannot be read has none.
    try context.performAndWait {
      for entity in ["Entry", "Item", "Tag", "Counter", "Line"] {
        let expected = NaiveLedger(after: 13)
        let count = try context.all(entity).count
        if entity == "Entry" {
          try Lost.unless(count == expected.entries.count, "\(count) entries were read")
        }
      }
    }
  }

  private static let checkpoint: FaultOperation = {
    var operation = step("checkpoint", 13)
    operation.checkpoints = true
    return FaultOperation(
      name: "checkpoint", steps: operation.steps, old: operation.old, new: operation.new,
      checkpoints: true, body: operation.body)
  }()

  /// The last connection to close moves the log into the file. `prepare` saves, because without a
  /// save there is no log. The save is complete before anything fails.
  private static let close: FaultOperation = {
    let number = 13
    return FaultOperation(
      name: "close", steps: number - 1, old: NaiveLedger(after: number),
      new: NaiveLedger(after: number),
      prepare: { store in
        let context = store.newContext()
        try context.performAndWait { try Ledger.perform(number, in: context) }
      },
      body: { _, store, _ in
        try store?.close()
        store = nil
      })
  }()

  private static let copy = FaultOperation(
    name: "copy", steps: 13, old: NaiveLedger(after: 13), new: NaiveLedger(after: 13)
  ) { url, store, options in
    let target = url.deletingLastPathComponent().appendingPathComponent("copy.sqlite")
    do {
      try store?.coordinator.replacePersistentStore(
        at: target, destinationOptions: options, withPersistentStoreFrom: url,
        sourceOptions: options, ofType: NSSQLiteStoreType)
    } catch {
      try Lost.unless(
        !FileManager.default.fileExists(atPath: target.path), "a partial copy was left behind")
      let files = ValueFiles.present(of: target)
      try Lost.unless(files.isEmpty, "value files of a partial copy were left behind: \(files)")
      throw error
    }
    // From here on nothing fails, because the test only reads what the copy contains.
    fault_disarm()
    let copied = try WorkloadStore(target)
    let content = try copied.context.performAndWait { try Ledger.content(copied.context) }
    try copied.close()
    try Lost.unless(content == NaiveLedger(after: 13), "the copy has \(content.text)")
    let files = try ValueFiles(of: target, PlainSQL(target))
    try Lost.unless(
      files.unused.isEmpty, "no row of the copy refers to the files \(files.unused.sorted())")
  }

  /// Replaces the content of the open store with that of a copy that has more value files.
  private static let replace = FaultOperation(
    name: "replace", steps: 13, old: NaiveLedger(after: 13), new: NaiveLedger(after: 14),
    replacesPages: true,
    prepare: { store in
      guard let url = store.coordinator.persistentStores.first?.url else { return }
      let source = source(for: url)
      try NSPersistentStoreCoordinator(managedObjectModel: WorkloadModel.model)
        .replacePersistentStore(
          at: source, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
      let copy = try WorkloadStore(source)
      try copy.context.performAndWait { try Ledger.perform(14, in: copy.context) }
      try copy.close()
    },
    body: { url, _, options in
      do {
        try NSPersistentStoreCoordinator(managedObjectModel: WorkloadModel.model)
          .replacePersistentStore(
            at: url, destinationOptions: options, withPersistentStoreFrom: source(for: url),
            sourceOptions: options, ofType: NSSQLiteStoreType)
      } catch {
        // File operations of the test itself must not fail.
        fault_disarm()
        try requireFilesAfterCrash(url)
        throw error
      }
    })

  private static func source(for url: URL) -> URL {
    url.deletingLastPathComponent().appendingPathComponent("source.sqlite")
  }

  /// Throws if a process that recovers the log after a crash at this moment would find rows without their value files.
  private static func requireFilesAfterCrash(_ url: URL) throws {
    let crashed = url.deletingLastPathComponent().appendingPathComponent("crashed.sqlite")
    for suffix in ["", "-wal", "-journal"]
    where FileManager.default.fileExists(atPath: url.path + suffix) {
      try FileManager.default.copyItem(
        atPath: url.path + suffix, toPath: crashed.path + suffix)
    }
    let named = try ValueFiles(of: crashed, PlainSQL(crashed)).named
    let lost = named.subtracting(ValueFiles.present(of: url))
    try Lost.unless(lost.isEmpty, "after a crash, rows refer to missing files: \(lost.sorted())")
  }
}
